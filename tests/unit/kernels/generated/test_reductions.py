from dataclasses import replace

import pytest

from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Branch, Compute, Exchange, Loop, Shape, Switch, Take
from kernels.generated.reductions import reductions, size
from kernels.generated.validity import problems
from tests.unit.kernels.generated.running import written

ADD = Compute("iadd3", "u0", ("u0", "k", "i"))
XOR = Compute("xor3", "u0", ("u0", "k", "i"))
LOAD = Compute("load", "u0", ("u0", "4u", "1u"))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_reduction_is_valid_and_smaller(profile: str):
    for seed in range(20):
        program = draw_program(SeededChoices(seed), profile, (Shape(4, 160), Shape(1, 64)), largest=30)
        steps = list(reductions(program))
        assert steps
        for smaller in steps:
            assert problems(smaller) == []
            assert size(smaller) < size(program)


@pytest.mark.parametrize("profile", PROFILES)
def test_reductions_end_with_an_empty_loop_of_one_warp(profile: str):
    program = draw_program(SeededChoices(1), profile, (Shape(4, 1024),), largest=30)
    while smaller := next(reductions(program), None):
        program = smaller
    assert program == replace(written((), threads=32), min_blocks=0)


def bodies_after(statement) -> list:
    return [smaller.body for smaller in reductions(written((statement,)))]


@pytest.mark.parametrize(
    ("statement", "smaller"),
    [
        (XOR, ADD),
        (LOAD, Compute("iadd3", "u0", ("u0", "k", "i"))),
        (Branch("less", ("u0", "k"), (ADD,), (XOR,)), XOR),
        (Branch("less", ("u0", "k"), (ADD,), (XOR,)), Branch("less", ("u0", "k"), (ADD,), ())),
        (Switch("u0", ((ADD,), (XOR,))), Switch("u0", ((ADD,),))),
        (Loop(8, (ADD,), 2, "u0"), Loop(4, (ADD,), 2, "u0")),
        (Loop(8, (ADD,), 2, "u0"), Loop(8, (ADD,), 1, "u0")),
        (Loop(8, (ADD,), 2, "u0"), Loop(8, (ADD,), 2)),
        (Loop(8, (ADD,)), ADD),
        (
            Exchange("block", 1, ("u0", "u0"), (), (Take("u0", "xor", 1), Take("u0", "same", 2))),
            Exchange("block", 1, ("u0", "u0"), (), (Take("u0", "same", 2),)),
        ),
        (
            Exchange("warp", 1, ("u0", "u0"), (), (Take("u0", "xor", 1),)),
            Exchange("warp", 1, ("u0",), (), (Take("u0", "xor", 1),)),
        ),
    ],
)
def test_a_step_takes_away_one_thing(statement, smaller):
    assert (smaller,) in bodies_after(statement)
    assert () in bodies_after(statement)
