"""Rows of loads that L1 holds, by several SMSPs: when all are back, and whom loads that wait for their warp hold up."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions, span_error
from validation.calibration.families.following import AHEAD

ROWS = tuple(f"{row} of {lines} lines" for row in ("MMMMMM", "M11111", "M1M1M1") for lines in (8, 32))
LATER = (0, 2, 16, 64)


@pytest.mark.parametrize(("launch", "tolerance"), [("1", 0.0), ("2 SMSPs", 0.01), ("4x1", 0.015), ("4x2", 0.025)])
def test_all_loads_are_back_when_the_gpus_are(launch: str, tolerance: float) -> None:
    names = [f"queued/{row}, {later} cycles later each" for row in ROWS for later in LATER]
    assert mean(map(span_error, predictions(names, [launch]))) <= tolerance


@pytest.mark.parametrize("lines", ["8 lines", "16 lines", "32 lines"])
def test_loads_that_wait_for_their_warp_hold_up_others_from_the_fourth_on(lines: str) -> None:
    (found,) = predictions([f"following/LDG.32 of {lines}, LDG.32 of 1 line ahead"], ["2 SMSPs"])
    predicted, recorded = (
        [clocks[1][2 * i + 1] - clocks[0][2 * i] for i in range(len(AHEAD))]
        for clocks in (found.predicted, found.recorded[-1])
    )
    assert predicted == pytest.approx(recorded, abs=18)
