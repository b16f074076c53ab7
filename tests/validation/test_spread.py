"""Stores of many lines of one bank and loads that hit, in turn: `spread`."""

from statistics import mean, median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.predict import Prediction

STORES = "STG.32 of 32 lines of one bank"
TURNS = f"spread/turns of {STORES} and LDG.32 in a row"
OFF = {"in the mean": 0.08, "where the store waits for the loads before it": 0.09, "too slow": 0.03}


def test_four_smsps_stores_and_loads_keep_the_gpus_pace() -> None:
    (found,) = predictions([TURNS], ["4x1"])
    paces = [_pace(found.predicted), _pace(found.recorded[-1])]
    assert paces[0] == pytest.approx(paces[1], rel=0.05)


def _pace(clocks: list[list[int]]) -> float:
    """Cycles of a warp's store and load, behind the first."""
    return mean((row[-1] - row[0]) / (len(row) - 1) for row in clocks)


def test_rows_of_both_take_as_long_as_on_the_gpu() -> None:
    names = [one.name for one in bundle.family("spread") if one.name.startswith(f"spread/{STORES}")]
    errors = {found.name + found.launch: _error(found) for found in predictions(names)}
    waiting = [error for name, error in errors.items() if "waited for" in name]
    assert mean(map(abs, errors.values())) <= OFF["in the mean"]
    assert mean(map(abs, waiting)) <= OFF["where the store waits for the loads before it"]
    assert mean(errors.values()) <= OFF["too slow"]


def _error(found: Prediction) -> float:
    return float(found.predicted[-1] / median(repeat[-1] for repeat in found.recorded) - 1)
