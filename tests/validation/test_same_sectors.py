"""Loads of several words of the same sectors by 8 to 32 warps: how long each of them takes, in the mean."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.same_sectors import COUNTS, TURNS
from validation.calibration.recordings import H200

SETTLED = slice(2, -1)  # of the turns
# The first of four by 16 warps comes back too early: which warp goes first decides what waits behind what.
APART = {(4, 1): 0.23}


@pytest.mark.parametrize(("count", "load"), [(count, load) for count in COUNTS for load in range(1, count + 1)])
def test_each_load_takes_as_long(count: int, load: int) -> None:
    (*launches,) = predictions([f"same_sectors/load {load} of {count}"], folder=H200)
    assert len(launches) == 3
    for found in launches:
        recorded = np.mean([_taken(repeat) for repeat in found.recorded])
        assert _taken(found.predicted) == pytest.approx(recorded, rel=APART.get((count, load), 0.165)), found.launch


def _taken(clocks: list[list[int]]) -> float:
    """The cycles from behind the load until it is back, in the mean of warps and turns."""
    began, back = np.moveaxis(np.array(clocks).reshape(-1, TURNS, 2)[:, SETTLED], -1, 0)
    return float(np.mean(back - began))
