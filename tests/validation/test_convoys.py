"""Short compiled loops by several warps of an SMSP, which land together trip after trip."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions, span_error
from validation.calibration.families.convoys import FEW_TRIPS, MANY_TRIPS
from validation.calibration.program import LINE
from validation.calibration.recordings import H200


@pytest.mark.parametrize(("warps", "exact"), [("1", 16), ("2", 16), ("3", 14), ("4", 7), ("5", 14)])
def test_warps_are_through_each_trip_as_on_the_gpu(warps: str, exact: int) -> None:
    names = [f"convoys/slot 0, stall 1, yields, {trips} trips" for trips in FEW_TRIPS]
    (*rows,) = predictions(names, [warps], folder=H200)
    assert len(rows) == len(FEW_TRIPS)
    assert sum(row.is_exact for row in rows) >= exact


@pytest.mark.parametrize(("warps", "mean"), [("1", 0.0), ("2", 0.001), ("3", 0.01), ("5", 0.02)])
def test_loops_take_as_long(warps: str, mean: float) -> None:
    assert _off(warps) <= mean


@pytest.mark.xfail(strict=True, reason="here some go round alone; on the GPU all wait for each other, trip after trip")
@pytest.mark.parametrize("warps", ["6", "8"])
def test_loops_of_many_warps_take_as_long(warps: str) -> None:
    assert _off(warps) <= 0.03


def _off(warps: str) -> float:
    """How far off the loops of many trips are, in the mean over the slots of a line in which they begin."""
    names = [f"convoys/slot {slot}, stall 1, yields, {MANY_TRIPS} trips" for slot in range(LINE)]
    (*rows,) = predictions(names, [warps], folder=H200)
    assert len(rows) == LINE
    return float(np.mean([span_error(row) for row in rows]))
