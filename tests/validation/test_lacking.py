"""Loads of which L1 lacks some lines are back as much later for conflicts of these lines' banks as on the H100."""

from statistics import mean, median

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.lacking import MISSING, PLACES

# Loads of words in one bank, and in a bank each; how many cycles their difference may be off at any number of lanes.
PAIRS = (
    ("LDG.32 of 32 lines, last lanes", "LDG.32 132 bytes apart, last lanes", 5.0),
    ("LDG.32 of 32 lines, spread lanes", "LDG.32 132 bytes apart, spread lanes", 5.0),
    ("LDG.64 of 32 lines, spread lanes", "LDG.64 136 bytes apart, spread lanes", 6.0),
)
LAUNCH = "1"


def latencies(clocks: list[list[int]]) -> np.ndarray:
    """Cycles from issue to end of each load, by place and lanes that miss."""
    (warp,) = clocks
    return np.diff(np.array(warp).reshape(PLACES, len(MISSING), 2)).squeeze()


@pytest.mark.parametrize(("conflicts", "none", "tolerance"), PAIRS)
def test_conflicts_of_the_lines_that_wait_count(conflicts: str, none: str, tolerance: float) -> None:
    names = [f"lacking/{conflicts}", f"lacking/{none}"]
    found = {one.name: one for one in predictions(names, [LAUNCH])}
    predicted, recorded = (
        [mean(column) for column in (ways[0] - ways[1]).T]
        for ways in zip(*[_of(found[name]) for name in names], strict=True)
    )
    assert predicted == pytest.approx(recorded, abs=tolerance)


def _of(prediction) -> tuple[np.ndarray, np.ndarray]:
    repeats = np.array([latencies(repeat) for repeat in prediction.recorded])
    return latencies(prediction.predicted), np.apply_along_axis(median, 0, repeats)
