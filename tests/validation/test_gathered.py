"""Stores to the same lines again and again, as on an H200, whose SM is an H100's: which lines gather in L1."""

import pytest

from tests.validation.microbenchmarks import done, predictions
from validation.calibration.recordings import H200


def ends(name: str) -> tuple[float, float]:
    """When the last store has left, predicted and recorded."""
    (found,) = predictions([f"gathered/{name}"], folder=H200)
    return found.predicted[-1], done(found)


@pytest.mark.parametrize("lines", [8, 16, 24, 26, 27, 28])
def test_seven_lines_of_each_slice_gather_all_that_is_stored(lines):
    predicted, recorded = ends(f"48 STG.32 of {lines} lines")
    assert predicted == pytest.approx(recorded, abs=1)


@pytest.mark.parametrize("lines", ["29 lines", "30 lines", "32 lines", "8 lines of one slice", "16 lines of each warp"])
def test_more_lines_of_a_slice_leave_again_and_again(lines):
    predicted, recorded = ends(f"48 STG.32 of {lines}")
    assert predicted == pytest.approx(recorded, rel=0.02)


@pytest.mark.parametrize("lines", ["2 lines of one slice", "4 lines of one slice", "13 lines of each warp"])
def test_lines_of_one_slice_or_of_two_warps_gather_while_their_slices_have_places(lines):
    predicted, recorded = ends(f"48 STG.32 of {lines}")
    assert predicted == pytest.approx(recorded, rel=0.05)
