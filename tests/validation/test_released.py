"""Rows of stores that wait until the one before has read its sources, beside those of other SMSPs: `released`."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle

SETTLED = 8  # stores until a row has found its pace
TOLERANCE = 0.05  # cycles a store, in the mean of the warps


def test_stores_of_several_smsps_keep_the_gpus_pace() -> None:
    names = [experiment.name for experiment in bundle.family("released")]
    paces = [(_pace(found.predicted), _pace(found.recorded[-1])) for found in predictions(names)]
    predicted, recorded = zip(*paces, strict=True)
    assert predicted == pytest.approx(recorded, abs=TOLERANCE)


def _pace(clocks: list[list[int]]) -> float:
    return mean((row[-1] - row[SETTLED]) / (len(row) - 1 - SETTLED) for row in clocks)
