"""Loops around dependent chains take as long as on the H100: by one warp to the cycle, by two nearly."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle

NAMES = [one.name for one in bundle.family("trips")]


def length(clocks: list[list[int]]) -> int:
    """From the first warp's beginning to the last one's end: of clocks of shape (warps, 2)."""
    return int(np.max(clocks) - np.min(clocks))


@pytest.mark.parametrize(("warps", "most"), [("1", 0.0), ("2", 0.02)])
def test_loops_take_as_long(warps: str, most: float) -> None:
    off = [
        abs(length(row.predicted) / np.median([length(one) for one in row.recorded]) - 1)
        for row in predictions(NAMES, [warps])
    ]
    assert len(off) == len(NAMES)
    assert max(off) <= most
