"""Loads that miss behind loads that hit: by how much they have their data later than alone, beside ``room``."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.recordings import H200

ONE, TWO, HALF = "32 lines of one bank", "2 of 32 lines of one bank", "16 lines of one bank"
CROWDED = ("32 lines of one bank, 31 lines apart", "32 lines of one bank, 33 lines apart")  # most are in one slice
SIX_TURNS = ("32 lines, the last 24 of them new", "32 lines, the last 16 of them new", "16 lines of one bank")


def late(first: str, second: str, later: int) -> tuple[float, float]:
    """By how many cycles a load has its data later behind others than alone, predicted and recorded."""
    names = [f"room/nothing, 0 cycles, {second}", f"room/{first}, {later} cycles, {second}"]
    found = {one.name: one for one in predictions(names, folder=H200)}
    alone, behind = (found[name] for name in names)
    return (
        _waits(behind.predicted) - _waits(alone.predicted),
        median(map(_waits, behind.recorded)) - median(map(_waits, alone.recorded)),
    )


def _waits(times: list[list[int]]) -> int:
    ((_, asked, back),) = times
    return back - asked


@pytest.mark.parametrize(("first", "later"), [(ONE, 0), (ONE, 16), (ONE, 32), (TWO, 0), (TWO, 32), (HALF, 0)])
@pytest.mark.parametrize("second", CROWDED)
def test_a_load_of_more_turns_than_find_room_waits_for_the_passes_of_those_that_hit(first, later, second):
    predicted, recorded = late(first, second, later)
    assert predicted == pytest.approx(recorded, abs=8)


def test_lines_that_the_slices_have_evenly_wait_for_less():
    predicted, recorded = late(TWO, "32 lines of all banks", 0)
    assert predicted == pytest.approx(recorded, abs=8)
    predicted, recorded = late(ONE, "32 lines of all banks", 0)
    assert predicted == pytest.approx(recorded, abs=8)


@pytest.mark.parametrize("first", [ONE, TWO])
@pytest.mark.parametrize("second", SIX_TURNS)
def test_six_turns_find_room_whatever_is_before_them(first, second):
    predicted, recorded = late(first, second, 0)
    assert predicted == pytest.approx(recorded, abs=6)
