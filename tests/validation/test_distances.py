"""Gathers of lines that miss L1 and hit L2 are back when they are on the H100, in the mean over its SMs."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.recordings import Recordings

LEAD = 4  # cycles from a clock read to the load
GATHERS = (
    ("1 lines anywhere", 0.03),
    ("8 lines anywhere", 0.02),
    ("16 lines anywhere", 0.015),
    ("32 lines anywhere", 0.015),
    ("1 lines side by side", 0.02),
    ("8 lines side by side", 0.03),
    ("32 lines side by side", 0.015),
)


@pytest.mark.parametrize(("name", "tolerance"), GATHERS)
def test_gathers_take_as_long(name: str, tolerance: float) -> None:
    (found,) = predictions([f"distances/{name}"])
    (warp,) = found.predicted
    predicted = mean(end - begin - LEAD for begin, end in zip(warp[::2], warp[1::2], strict=True))
    recorded = Recordings().recording("distances")["programs"][f"distances/{name}, all SMs"]["launches"]["132 blocks"]
    assert predicted == pytest.approx(mean(cycles - LEAD for sm in recorded for cycles in sm), rel=tolerance)
