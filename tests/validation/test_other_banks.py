"""Loads of many lines behind a lone store of many, in its banks and in others: `other_banks`."""

from functools import cache
from statistics import fmean

import pytest

from tests.validation.microbenchmarks import beside_h200, longest_wait
from validation.calibration.families.other_banks import ALL_BANKS, BEHIND, LATER, MANY, OTHER, STRIDES, TO_ALL_BANKS

FEW = "16 lines"


@cache
def _waits() -> dict[str, tuple[float, float]]:
    """By name, the cycles for which the load's warp waits for its data: predicted, recorded."""
    return beside_h200("other_banks", longest_wait)


@pytest.mark.parametrize("lines", STRIDES)
@pytest.mark.parametrize("stored", STRIDES)
def test_a_load_from_other_banks_loses_no_pass_to_lines_that_are_read(stored: str, lines: str) -> None:
    for later in LATER:
        lines_of_its_own = _waits()[f"{stored} stored, {later} cycles, {lines} in {OTHER}"]
        lines_stored = _waits()[f"{stored} stored, {later} cycles, {lines} in {OTHER} of the lines"]
        for predicted, recorded in (lines_of_its_own, lines_stored):
            assert abs(predicted - recorded) <= 1, later


@pytest.mark.parametrize("lines", STRIDES)
def test_a_load_makes_a_pass_a_cycle_behind_more_lines_than_find_places(lines: str) -> None:
    further = int(lines.partition(" ")[0]) - 8  # passes
    fewest = _waits()[f"{MANY} stored, 0 cycles, 8 lines in {OTHER}"]
    for of_few, behind in zip(fewest, _waits()[f"{MANY} stored, 0 cycles, {lines} in {OTHER}"], strict=True):
        assert behind - of_few == further
    few = [_waits()[f"{FEW} stored, 0 cycles, {one} in {OTHER}"] for one in ("8 lines", lines)]
    for of_few, behind in zip(*few, strict=True):
        assert behind - of_few == 2 * further


@pytest.mark.parametrize("lines", STRIDES)
def test_so_it_does_with_those_looked_up_before_the_last_has_its_place(lines: str) -> None:
    for later in TO_ALL_BANKS:
        predicted, recorded = _waits()[f"{ALL_BANKS} stored, {later} cycles, {lines} in {OTHER}"]
        assert abs(predicted - recorded) <= 4, later


def test_all_together() -> None:
    off = [abs(predicted - recorded) for predicted, recorded in _waits().values()]
    assert len(off) == 3 + 3 * (2 * len(BEHIND) * len(LATER) + len(BEHIND) * 28 + len(TO_ALL_BANKS) + 3)
    assert fmean(off) < 1.5
    assert sum(one == 0 for one in off) >= 340
    assert sum(one <= 2 for one in off) >= 480
