"""Loads behind a lone store, each cycle while its lines are read and leave: `sweeps`."""

from functools import cache
from statistics import fmean

import pytest

from tests.validation.microbenchmarks import beside_h200, longest_wait
from validation.calibration.families.doubled import PROBES
from validation.calibration.families.sweeps import LATER

FEW, MANY = LATER
IN_STEP = 83  # from then on the reads of 32 lines are in step with the GPU's


@cache
def _waits() -> dict[str, tuple[float, float]]:
    """By name, the cycles for which the load's warp waits for its data: predicted, recorded."""
    return beside_h200("sweeps", longest_wait)


@pytest.mark.parametrize("probe", PROBES)
def test_a_load_waits_for_all_reads_in_its_rows_cycles_or_for_none(probe: str) -> None:
    for later in LATER[FEW]:
        predicted, recorded = _waits()[f"{FEW}, {later} cycles, {probe}"]
        assert predicted == recorded, later


@pytest.mark.parametrize("probe", PROBES)
def test_so_it_does_behind_more_lines_than_find_places(probe: str) -> None:
    for later in LATER[MANY]:
        predicted, recorded = _waits()[f"{MANY}, {later} cycles, {probe}"]
        if later >= IN_STEP:
            assert predicted == recorded, later


def test_all_together() -> None:
    off = [abs(predicted - recorded) for predicted, recorded in _waits().values()]
    assert fmean(off) < 2
