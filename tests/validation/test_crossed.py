"""Loops of two accesses in turn: `crossed`."""

from statistics import mean, median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.predict import Prediction

OFF = 0.042  # all in the mean


def test_loops_of_two_kinds_take_as_long_as_on_the_gpu() -> None:
    found = predictions([one.name for one in bundle.family("crossed")])
    assert mean(abs(_error(one)) for one in found) <= OFF


@pytest.mark.parametrize("atomic", ["REDG.ADD one word", "ATOMG.ADD one word"])
def test_loads_from_l2_interrupt_atomics_at_a_word(atomic: str) -> None:
    names = [one.name for one in bundle.family("crossed") if atomic in one.name and "LDG.GPU row" in one.name]
    for found in predictions(names):
        assert _error(found) == pytest.approx(0, abs=0.09), found


def _error(found: Prediction) -> float:
    recorded = median(end - start for start, end in found.recorded)
    return (found.predicted[-1] - found.predicted[0]) / recorded - 1
