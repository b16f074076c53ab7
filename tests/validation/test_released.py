"""Rows of stores that wait until the one before has read its sources, beside those of other SMSPs: `released`."""

import pytest

from tests.validation.microbenchmarks import done, pace, predictions
from validation.calibration import bundle

SETTLED = 8  # stores until a row has found its pace
TOLERANCE = 0.05  # cycles a store, in the mean of the warps
BURSTS = [f"local/{count} {stores}" for count in (8, 32) for stores in ("STL of 1 rows in turn", "STL.64")]


def test_stores_of_several_smsps_keep_the_gpus_pace() -> None:
    names = [experiment.name for experiment in bundle.family("released")]
    paces = [(pace(found.predicted, SETTLED), pace(found.recorded[-1], SETTLED)) for found in predictions(names)]
    predicted, recorded = zip(*paces, strict=True)
    assert predicted == pytest.approx(recorded, abs=TOLERANCE)


def test_bursts_of_local_stores_have_read_their_sources_when_the_gpus_have() -> None:
    found = list(predictions(BURSTS, ["4x1", "4x2"]))
    predicted = [burst.predicted[-1] for burst in found]
    assert predicted == pytest.approx(list(map(done, found)), abs=2)
