from dataclasses import replace

import pytest

from kernels.generated.program import Barrier, Branch, Compute, Exchange, Loop, Shape, Switch, Take
from kernels.generated.validity import problems
from tests.unit.kernels.generated.running import written

ADD = Compute("iadd3", "u0", ("u0", "k", "i"))
SHUFFLE = Compute("shuffle_xor", "u0", ("u0", "u0", "1u"))
TAKE = Take("u0", "xor", 1)


def exchange(**changes):
    return replace(Exchange("block", 1, ("u0",), (ADD,), (TAKE,)), **changes)


def test_a_valid_program_has_no_problems():
    assert problems(written((ADD, SHUFFLE, exchange(), Loop(3, (ADD,)), Barrier("warp")))) == []


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (Compute("iadd3", "f0", ("u0", "u0", "u0")), "iadd3 writes 'f0'"),
        (Compute("iadd3", "u0", ("u0", "f0", "u0")), "iadd3: f0 is no u"),
        (Compute("fadd", "f0", ("f0", "a0")), "fadd: a0 is no f"),
        (Compute("less", "", ("u0", "u1")), "less is not what stands there"),
        (Branch("iadd3", ("u0", "u0", "u0"), ()), "iadd3 is not what stands there"),
        (Branch("less", ("u0", "k"), (SHUFFLE,)), "shuffle_xor where lanes may have parted"),
        (Loop(4, (Barrier("warp"),), selector="u0"), "a warp barrier where lanes may have parted"),
        (Switch("u0", ((exchange(),), ())), "a block barrier where lanes may have parted"),
        (Switch("u0", ((), (), ())), "3 cases are not a power of two"),
        (Loop(6, (), selector="u0"), "6 trips"),
        (exchange(values=("u0", "u0", "u0")), "an element of 3 words"),
        (exchange(between=(exchange(),)), "more than straight code between the write and the wait"),
    ],
)
def test_what_is_wrong_is_said(statement, problem):
    assert problems(written((statement,))) == [problem]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"variables": (0, 0, 0, 0, 0)}, "u0 is not declared"),
        ({"trips": 0}, "trip counts and unrolling begin at 1"),
        ({"words": 300}, "300 words are not a power of two from 256 on"),
        ({"shapes": (Shape(1, 48),)}, "1x48 is not a launch of whole warps"),
        ({"shapes": (Shape(1, 1056),)}, "1x1056 is not a launch of whole warps"),
    ],
)
def test_what_is_wrong_with_a_launch_is_said(changes, problem):
    assert problem in problems(replace(written((ADD,)), **changes))
