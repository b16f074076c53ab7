"""smsim predicts the microbenchmarks' clocks at least as often to the cycle as it did.

``prediction_floors.csv``: of every n-th launch of a family's recording, how many must be exact. A better machine or
rule may raise a figure; none may fall unnoticed.
"""

import csv
from pathlib import Path

import pytest

from smsim.machine import load
from validation.calibration import bundle
from validation.calibration.predict import predict_all, summary
from validation.calibration.recordings import Recordings

FLOORS = list(csv.DictReader(Path(__file__).with_name("prediction_floors.csv").read_text().splitlines()))


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: floor["family"])
def test_as_many_launches_as_before_are_exact(floor: dict[str, str]) -> None:
    recording = Recordings().recording(floor["family"])
    predictions = list(predict_all(bundle.family(floor["family"]), recording, load("h100"), int(floor["every"])))
    assert sum(prediction.is_exact for prediction in predictions) >= int(floor["exact"]), summary(predictions)
