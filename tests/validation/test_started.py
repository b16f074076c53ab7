"""Warps that have just come get LDCs and S2URs into the ADU's queue when they do on an H200, which has this SM."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.started import PACES, ROWS, WARPS
from validation.calibration.predict import Prediction
from validation.calibration.recordings import H200

LAUNCHES = [str(warps) for warps in WARPS]
# Rows of LDCs that miss their lines: these come on that card sometimes 2 to 5 cycles sooner or later than on the H100.
APART = 3.8


def off(found: Prediction) -> float:
    """By how many cycles the clocks are off in the mean, counted from the first one, to the nearest repeat."""
    predicted, *recorded = (np.array(clocks) - np.min(clocks) for clocks in (found.predicted, *found.recorded))
    return float(min(np.abs(predicted - repeat).mean() for repeat in recorded))


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("row", ROWS)
def test_each_comes_in_when_it_does_on_the_gpu(row: str, pace: int) -> None:
    (*found,) = predictions([f"started/{row} {pace}"], LAUNCHES, folder=H200)
    assert len(found) == len(LAUNCHES)
    if "A" not in row:
        assert max(map(off, found)) <= 0.25
        assert sum(one.is_exact for one in found) >= len(LAUNCHES) - 2
    assert max(map(off, found)) <= APART


@pytest.mark.parametrize(("warps", "apart"), [("8", 0), ("12", 0), ("16", 0), ("20", 0), ("24", 8), ("32", 12)])
def test_later_on_the_counters_decide(warps: str, apart: float) -> None:
    (found,) = predictions(["started/UUUUU 8 later"], [warps], folder=H200)
    assert off(found) <= apart
