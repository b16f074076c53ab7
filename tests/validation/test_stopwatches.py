"""Families of stopwatches predicted: what pieces of code take, to the cycle."""

from statistics import mean

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import stopwatch_errors, stopwatches
from validation.calibration.bundle import family
from validation.calibration.recordings import Recordings

EVERY = 12  # programs
RANDOM_EXACT = 0.96
MISSED = 100  # cycles


def differences(name: str, kind: str = "", every: int = 1) -> list[list[int]]:
    """Recorded less predicted cycles of some programs' pieces."""
    chosen = [one for one in family(name) if one.name.startswith(f"{name}/{kind}")][::every]
    return [stopwatch_errors(one) for one in chosen]


def test_pairs_by_slots_and_banks() -> None:
    assert not any(map(any, differences("ports", "pairs", EVERY)))


def test_random_rows() -> None:
    found = [cycles for program in differences("ports", "random", EVERY) for cycles in program]
    assert found.count(0) >= RANDOM_EXACT * len(found)


def test_operands_marked_for_reuse() -> None:
    """Where the one that marks them got them by forwarding they are read again, and only there."""
    assert not any(map(any, differences("reused", every=3)))


def test_instructions_without_lanes() -> None:
    """The second half of each program."""
    assert not any(any(program[len(program) // 2 :]) for program in differences("without_lanes"))


@pytest.mark.parametrize("sequence", ["A", "L A L", "L R L"])
def test_pages_whose_home_is_far(sequence: str) -> None:
    """Which ones they are is drawn from the address here; how many and how much later is as on the H100."""
    (experiment,) = [one for one in family("homes") if one.name == f"homes/{sequence}"]
    recorded = Recordings().recording("homes")["programs"][experiment.name]["launches"]["1"][0][0]
    here = stopwatches(experiment, load("h100"))[0].tolist()
    assert mean(here) == pytest.approx(mean(recorded), rel=0.02)
    between = (min(recorded) + max(recorded)) / 2
    far = sum(cycles > between for cycles in here)
    assert far == pytest.approx(sum(cycles > between for cycles in recorded), abs=1)  # of 48


def test_which_lines_of_a_set_l1_gives_up() -> None:
    """A load that misses where it hits on the H100, or the other way round, is 200 cycles and more off."""
    assert not any(abs(cycles) > MISSED for program in differences("tags") for cycles in program)
