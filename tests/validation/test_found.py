"""Which of two warps gets a place in a full queue, beside an H200, which has this SM."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import cycles_off, predictions
from validation.calibration.families.found import BEHIND, KINDS, STALLS
from validation.calibration.recordings import H200


@pytest.mark.parametrize(("kind", "exact", "apart"), list(zip(KINDS, (30, 26, 44), (1.7, 2.1, 0.5), strict=True)))
def test_the_warp_that_found_a_place_goes_first(kind: str, exact: int, apart: float) -> None:
    """With counters as the launch leaves them, which differ from repeat to repeat, half of all rows are exact."""
    names = [f"found/{kind}, stall {stall}, {behind} behind" for stall in STALLS for behind in BEHIND]
    (*rows,) = predictions(names, folder=H200)
    assert len(rows) == len(names)
    assert sum(row.is_exact for row in rows) >= exact
    assert np.mean([cycles_off(row) for row in rows]) <= apart
