"""Rows of fences by many warps take as long as on the H100: one flush at a time, for all that it gathers."""

import pytest

from tests.validation.microbenchmarks import predictions

ROUND = 3  # clocks


@pytest.mark.parametrize(
    ("row", "launches", "tolerance"),
    [
        ("flushes/GPU, pause 0", ("1", "2", "4", "4x1", "4x3", "4x4", "4x6", "4x8"), 0.04),
        ("flushes/GPU, pause 700", ("1", "4x2", "4x4", "4x8"), 0.04),
        ("flushes/GPU, warps 20 later", ("2", "8", "4x2", "4x8"), 0.012),
        ("flushes/GPU, warps 120 later", ("2", "8", "4x2", "4x8"), 0.012),
        ("flushes/GPU without CGAERRBAR", ("1", "4x3", "4x8"), 0.02),
    ],
)
def test_rounds_of_fences_take_as_long(row: str, launches: tuple[str, ...], tolerance: float) -> None:
    for found in predictions([row], launches):
        predicted, recorded = (
            sum(warp[-ROUND + 1] - warp[0] for warp in clocks) for clocks in (found.predicted, found.recorded[-1])
        )
        assert predicted == pytest.approx(recorded, rel=tolerance), found
