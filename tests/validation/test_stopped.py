"""A branch close behind what waits at the dispatcher lands as on the H200, which has this SM."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.stopped import STALLS, WAITING
from validation.calibration.recordings import H200

NAMES = [one.name for one in bundle.family("stopped")]


@pytest.mark.parametrize("what", WAITING)
def test_branches_land_as_on_the_gpu(what: str) -> None:
    names = [name for name in NAMES if name.startswith(f"stopped/{what}, ")]
    (*rows,) = predictions(names, folder=H200)
    assert len(rows) == len(names) == len(STALLS) * (18 + 8)
    assert [row.name for row in rows if not row.is_exact] == []
