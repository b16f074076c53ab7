"""The search for programs whose two sides differ, with a simulator and a GPU that the tests make up."""

import json
import time

import pytest

from isa.errors import SmsimError
from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.program import Loop, Shape, walk
from kernels.generated.reductions import size
from kernels.generated.tree import program_from_plain, to_plain
from validation.differential.search import Task, keep, shrink, try_seed
from validation.differential.sides import Sides

SHAPE = Shape(1, 64)
ALIKE, APART = Sides((100,), ((100,),)), Sides((150,), ((100,),))


def drawn(seed, profile="mixed"):
    return draw_program(SeededChoices(seed), profile, (SHAPE,), 16)


def task(seed=3, deadline=60.0):
    return Task("mixed", seed, SHAPE, 16, tolerance=0.1, deadline=time.time() + deadline)


@pytest.mark.parametrize("seed", range(6))
def test_a_program_survives_its_file(seed):
    program = drawn(seed)
    assert program_from_plain(json.loads(json.dumps(to_plain(program)))) == program


@pytest.mark.parametrize(
    "plain", [{"is": "Nothing"}, {"is": "Shape"}, [1], {"is": "Shape", "blocks": 1, "threads": 32}]
)
def test_what_is_no_program_is_refused(plain):
    with pytest.raises(ValueError, match="not a"):
        program_from_plain(plain)


def test_the_error_is_that_of_the_slowest_warp_against_the_nearest_launch():
    assert Sides((90, 110), ((200, 100), (110, 99))).error == 0
    assert Sides((90, 150), ((100, 100), (80, 120))).error == pytest.approx(0.25)


def test_a_few_cycles_say_nothing():
    assert Sides((30,), ((23,),)).error == 0


def test_wrong_outputs_differ_whatever_the_cycles():
    assert Sides((100,), ((100,),), wrong="argument 3").differ(0.5)


def test_sides_that_agree_find_nothing():
    tried = try_seed(lambda _: ALIKE, task())
    assert (tried.error, tried.found) == (0, None)


def test_nothing_is_tried_after_the_deadline():
    assert try_seed(lambda _: pytest.fail("tried"), task(deadline=-1.0)).error is None


def test_a_program_is_shrunk_to_what_shows_the_difference():
    program = next(p for p in map(drawn, range(100)) if any(isinstance(s, Loop) for s in walk(p.body)))

    def lay(candidate):
        return APART if any(isinstance(s, Loop) for s in walk(candidate.body)) else ALIKE

    (smallest, sides), tried = shrink(lay, program, APART, 0.1, time.time() + 60)
    assert sides is APART
    assert tried > 0
    assert size(smallest) < size(program)
    assert [type(statement) for statement in walk(smallest.body)] == [Loop]


def test_a_program_that_cannot_be_simulated_is_no_smaller_one():
    def lay(candidate):
        raise SmsimError("no")

    program = drawn(1)
    (smallest, _), _ = shrink(lay, program, APART, 0.1, time.time() + 60)
    assert smallest == program


def test_what_is_found_can_be_read_back(tmp_path):
    found = try_seed(lambda _: APART, task()).found
    plain = json.loads(keep(found, tmp_path).read_text())
    assert program_from_plain(plain["program"]) == found.program
    assert plain["error_drawn"] == pytest.approx(0.5)
