"""Loads that miss L1 between stores come back as soon as on an H200, behind lines that gather and go on to do so."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.passing import BEFORE_AGAIN, BEHIND, SHAPES, WHOSE
from validation.calibration.predict import Prediction
from validation.calibration.recordings import H200

FIRST, LAST = 1, 2  # clocks behind the first load and the last one


def clocks_behind(found: Prediction, warp: int, load: int) -> tuple[float, float]:
    """When that warp has what a load brought, from the first warp's beginning on, predicted and recorded."""

    def behind(clocks: list) -> int:
        rows = clocks if isinstance(clocks[0], list) else [clocks]
        return rows[warp][load] - min(row[0] for row in rows)

    return behind(found.predicted), median(behind(repeat) for repeat in found.recorded)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("whose", WHOSE)
def test_a_load_waits_for_lines_as_long_as_they_do_for_more_stores(whose, shape):
    names = [f"passing/{whose}: {shape}, {cycles} cycles" for cycles in BEHIND]
    waits = [clocks_behind(one, -1, FIRST) for one in predictions(names, folder=H200)]
    off = [predicted - recorded for predicted, recorded in waits]
    # The line loaded is 3 cycles nearer on the card that was recorded.
    assert all(abs(cycles - 3) <= 4 for cycles in off)


@pytest.mark.parametrize("cycles", BEFORE_AGAIN)
def test_lines_gather_more_though_a_load_came_between(cycles):
    """Were it not so, the load behind the last store would be back 16 cycles later, behind as many packets more."""
    name = f"passing/its own: 8 lines, all banks, again behind {cycles} cycles"
    (found,) = predictions([name], folder=H200)
    predicted, recorded = clocks_behind(found, 0, LAST)
    assert predicted == pytest.approx(recorded, abs=5)
