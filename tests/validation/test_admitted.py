"""A place that an access to L1TEX leaves in a queue that such have filled goes to others first, as on the H100."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.admitted import FILLERS, PROBED, RECORD_BEFORE, row_name

OTHERS = ("S2R.TID", "SHFL.BFLY", "LDS.32", "STS.32")
PLACE = {"STG.32": 64, "LDG.32": 73}  # cycles from one that leaves to the next, as recorded


@pytest.mark.parametrize("probe", OTHERS)
@pytest.mark.parametrize("fill", PLACE)
def test_others_wait_for_two_places_at_most(fill: str, probe: str) -> None:
    names = [row_name(fill, probe, fillers) for fillers in FILLERS if fillers > 2]
    for row in predictions(names, None):
        for clocks in (row.recorded[0], row.predicted):
            waited = np.asarray(clocks)[-1, 1] - np.asarray(clocks)[-1, RECORD_BEFORE]
            assert waited <= 2.5 * PLACE[fill], row.name


@pytest.mark.parametrize("probe", OTHERS)
def test_rows_beside_stores_take_as_long(probe: str) -> None:
    for row in predictions([row_name("STG.32", probe, 7)], None):
        took = [np.ptp(np.asarray(clocks)[-1, [RECORD_BEFORE, PROBED]]) for clocks in (row.recorded[0], row.predicted)]
        assert took[1] == pytest.approx(took[0], rel=0.1), row.name
