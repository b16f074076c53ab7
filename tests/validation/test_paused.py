"""Straight code that the ICC lacks comes line by line as recorded: after pauses, and at paces of its own."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.recordings import H200, RESULTS

EVEN = [one.name for one in bundle.family("ahead") if "apart" not in one.name]
PAUSED = [one.name for one in bundle.family("paused")]
SOMEHOW = [name for name in PAUSED if "random" in name and "pauses" not in name]


def lines_off(names: list[str], folder: Path) -> NDArray[np.int64]:
    """Of each program [name, line] by how many cycles the time from line to line is off."""
    found = list(predictions(names, ["1"], folder=folder))
    assert len(found) == len(names)
    return np.array([(np.diff(one.predicted) - np.diff(one.recorded[0])).ravel() for one in found], np.int64)


@pytest.mark.parametrize(
    ("names", "folder", "alike", "cycles"),
    [(EVEN, RESULTS, 0.895, 8), (PAUSED, H200, 0.92, 12), (SOMEHOW, H200, 0.998, 7)],
    ids=["even paces", "pauses", "stall counts drawn"],
)
def test_lines_come_as_recorded(names: list[str], folder: Path, alike: float, cycles: int) -> None:
    off = lines_off(names, folder)
    assert (off == 0).mean() >= alike
    assert np.abs(off.sum(axis=1)).max() <= cycles
