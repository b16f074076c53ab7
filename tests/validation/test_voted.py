"""Block barriers that count votes, and B2R, take turns with the rest of the ADU: `voted`."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions, span_error
from validation.calibration import bundle
from validation.calibration.families.voted import ROWS

BESIDE_OTHER_UNITS = [row for row in ROWS if row.startswith(("SHFL", "S2R"))]


@pytest.mark.parametrize("row", ROWS)
def test_rounds_take_as_long_as_on_the_gpu(row: str) -> None:
    off = 0.002 if row in BESIDE_OTHER_UNITS else 0.05
    assert mean(map(span_error, predictions([f"voted/{row}"]))) < off


def test_all_rounds_do_in_the_mean() -> None:
    assert mean(map(span_error, predictions([one.name for one in bundle.family("voted")]))) < 0.02
