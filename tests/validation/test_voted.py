"""Block barriers that count votes, and B2R, take turns with the rest of the ADU: `voted`."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.voted import ROWS
from validation.calibration.predict import Prediction

BESIDE_OTHER_UNITS = [row for row in ROWS if row.startswith(("SHFL", "S2R"))]


@pytest.mark.parametrize("row", ROWS)
def test_rounds_take_as_long_as_on_the_gpu(row: str) -> None:
    off = 0.001 if row in BESIDE_OTHER_UNITS else 0.05
    assert mean(map(_off, predictions([f"voted/{row}"]))) < off


def test_all_rounds_do_in_the_mean() -> None:
    assert mean(map(_off, predictions([one.name for one in bundle.family("voted")]))) < 0.02


def _off(found: Prediction) -> float:
    predicted, recorded = (
        max(warp[-1] for warp in clocks) - min(warp[0] for warp in clocks)
        for clocks in (found.predicted, found.recorded[-1])
    )
    return abs(predicted / recorded - 1)
