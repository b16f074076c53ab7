"""Rows of fences by many warps take as long as on the H100: one flush at a time, for all that it gathers."""

import statistics

import pytest

from tests.validation.microbenchmarks import predictions, span_error

ROUND = 3  # clocks


@pytest.mark.parametrize(
    ("row", "launches", "tolerance"),
    [
        ("flushes/GPU, pause 0", ("1", "2", "4", "4x1", "4x3", "4x4", "4x6", "4x8"), 0.04),
        ("flushes/GPU, pause 700", ("1", "4x2", "4x4", "4x8"), 0.045),
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


SEVERAL_SMSPS = tuple(f"4x{warps}" for warps in range(1, 9))


@pytest.mark.parametrize(
    ("mix", "launches", "tolerance"),
    [
        ("STG.32 of one word+MEMBAR.CTA", ("1", "2", "3", "4", "6", "8"), 0.022),
        ("LDG.32+MEMBAR.CTA", ("1", "2", "3", "4", "6", "8"), 0.03),
        ("STG.32 of one word+MEMBAR.CTA", SEVERAL_SMSPS, 0.065),
        ("LDG.32+MEMBAR.CTA", SEVERAL_SMSPS, 0.08),
        ("STG.32 on+STG.32 on+STG.32 on+STG.32 on+MEMBAR.CTA", SEVERAL_SMSPS, 0.04),
        ("STG.128+MEMBAR.CTA", SEVERAL_SMSPS, 0.06),
    ],
)
def test_rounds_of_fences_within_the_block_take_as_long(mix: str, launches: tuple[str, ...], tolerance: float) -> None:
    """In the mean of the numbers of warps; no round is more than half as long again or as short."""
    errors = list(map(span_error, predictions([f"fenced/rounds {mix}"], launches)))
    assert max(errors) < 0.5
    assert statistics.mean(errors) < tolerance
