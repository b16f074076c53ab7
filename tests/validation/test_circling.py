"""Short loops take as long as on the H100: by one warp to the cycle, by several nearly."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.circling import LOOP_TRIPS

NAMES = [one.name for one in bundle.family("circling")]


def trips(clocks: np.ndarray) -> float:
    """Cycles of a trip, from the first warp's beginning to the last one's end: clocks of shape (warps, 2)."""
    return float(np.max(clocks[:, 1]) - np.min(clocks[:, 0])) / LOOP_TRIPS


@pytest.mark.parametrize(("warps", "mean"), [("1", 0.0), ("2", 0.005), ("3", 0.02), ("6", 0.02)])
def test_loops_take_as_long(warps: str, mean: float) -> None:
    off = [
        abs(trips(np.asarray(row.predicted)) / np.median([trips(np.asarray(one)) for one in row.recorded]) - 1)
        for row in predictions(NAMES, [warps])
    ]
    assert len(off) == len(NAMES)
    assert np.mean(off) <= mean
