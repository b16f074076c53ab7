"""Stores of many lines of one bank and loads that hit, in turn: `spread`."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import done, pace, predictions
from validation.calibration import bundle
from validation.calibration.predict import Prediction

STORES = "STG.32 of 32 lines of one bank"
TURNS = f"spread/turns of {STORES} and LDG.32 in a row"
OFF, OFF_WAITING, TOO_SLOW = 0.08, 0.09, 0.03  # of all in the mean, where the store waits for the loads before it


def test_four_smsps_stores_and_loads_keep_the_gpus_pace() -> None:
    (found,) = predictions([TURNS], ["4x1"])
    assert pace(found.predicted) == pytest.approx(pace(found.recorded[-1]), rel=0.05)


def test_rows_of_both_take_as_long_as_on_the_gpu() -> None:
    names = [one.name for one in bundle.family("spread") if one.name.startswith(f"spread/{STORES}")]
    errors = {found.name + found.launch: _error(found) for found in predictions(names)}
    waiting = [error for name, error in errors.items() if "waited for" in name]
    assert mean(map(abs, errors.values())) <= OFF
    assert mean(map(abs, waiting)) <= OFF_WAITING
    assert mean(errors.values()) <= TOO_SLOW


def _error(found: Prediction) -> float:
    return float(found.predicted[-1] / done(found) - 1)
