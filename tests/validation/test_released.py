"""Rows of stores that wait until the one before has read its sources, beside those of other SMSPs: `released`."""

import pytest

from tests.validation.microbenchmarks import done, pace, predictions
from validation.calibration import bundle

SETTLED = 8  # stores until a row has found its pace
TOLERANCE = 0.05  # cycles a store, in the mean of the warps
# Rows of wide stores that are up to 1.2 % too fast since idle lines go on their way one of each slice at a time.
QUICK = {
    "released/STG.64 side by side, 0 cycles between": "4x1",
    "released/STG.128 side by side, 0 cycles between": "2 SMSPs",
    "released/STG.128 side by side, 20 cycles between": "4x1",
    "released/STG.128 warps far apart, 20 cycles between": "4x1",
}
BURSTS = [f"local/{count} {stores}" for count in (8, 32) for stores in ("STL of 1 rows in turn", "STL.64")]


def test_stores_of_several_smsps_keep_the_gpus_pace() -> None:
    names = [experiment.name for experiment in bundle.family("released")]
    for found in predictions(names):
        predicted, recorded = pace(found.predicted, SETTLED), pace(found.recorded[-1], SETTLED)
        if QUICK.get(found.name) == found.launch:
            assert recorded * 0.987 < predicted < recorded - TOLERANCE, found.name
        else:
            assert predicted == pytest.approx(recorded, abs=TOLERANCE), found.name


def test_bursts_of_local_stores_have_read_their_sources_when_the_gpus_have() -> None:
    found = list(predictions(BURSTS, ["4x1", "4x2"]))
    predicted = [burst.predicted[-1] for burst in found]
    assert predicted == pytest.approx(list(map(done, found)), abs=2)
