import pytest

from kernels.generated.choices import SeededChoices
from kernels.generated.draw import TRIPS, draw_program
from kernels.generated.operations import operations
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Branch, Compute, Exchange, Loop, Program, Shape, Switch, walk
from kernels.generated.render import render
from kernels.generated.validity import problems

SHAPES = (Shape(1, 96), Shape(1, 1024), Shape(264, 128))


def programs(profile: str, count: int = 60) -> list[Program]:
    return [draw_program(SeededChoices(seed), profile, (SHAPES[seed % 3],)) for seed in range(count)]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_seed_draws_the_same_program(profile: str):
    assert programs(profile, 5) == programs(profile, 5)


def test_seeds_draw_different_programs():
    assert len({render(program, "same") for program in programs("mixed")}) == 60


@pytest.mark.parametrize("profile", PROFILES)
def test_drawn_programs_are_valid_and_bounded(profile: str):
    for program in programs(profile):
        assert problems(program) == []
        assert TRIPS[0] <= program.trips <= TRIPS[1]
        assert program.threads * 64 * max(1, program.min_blocks) <= 65_536


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_draws_all_its_operations_and_statements(profile: str):
    rules = PROFILES[profile]
    statements = [statement for program in programs(profile, 200) for statement in walk(program.body)]
    drawn = {operations()[s.operation].group for s in statements if isinstance(s, Compute)}
    assert drawn == {*rules.arithmetic, *rules.special}
    assert {s.condition for s in statements if isinstance(s, Branch)} == set(rules.conditions)
    kinds = {"exchange": Exchange, "switch": Switch, "loop": Loop}
    for form, kind in kinds.items():
        assert any(isinstance(s, kind) for s in statements) == (form in rules.forms)
    assert any(isinstance(s, Loop) and s.selector for s in statements) == ("lane_loop" in rules.forms)


def test_the_number_of_operations_can_be_limited():
    for seed in range(50):
        program = draw_program(SeededChoices(seed), "registers", (Shape(1, 32),), largest=10)
        assert sum(isinstance(statement, Compute) for statement in walk(program.body)) <= 12
