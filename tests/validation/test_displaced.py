"""A row of lines stored to twice, and a load behind that waits for those that gather, as on an H200."""

import pytest

from tests.validation.microbenchmarks import done, predictions
from validation.calibration.recordings import H200

ROW = "displaced/32 lines of four slices, all banks"
ALONE = "displaced/24 lines of four slices, all banks"


def longer(name: str) -> tuple[float, float]:
    """By how much later such a load is back than behind 24 lines once, predicted and recorded."""
    alone, found = predictions([ALONE, name], folder=H200)
    return found.predicted[-1] - alone.predicted[-1], done(found) - done(alone)


@pytest.mark.parametrize("begins", [0, 16, 24, 31])
def test_a_line_leaves_for_each_that_finds_no_place_in_its_slice(begins):
    predicted, recorded = longer(f"{ROW}, again from line {begins}")
    assert predicted == pytest.approx(recorded, abs=2)


@pytest.mark.parametrize("again", ["again from line 1", "again from line 2", "again from line 5", "again from line 8"])
def test_lines_that_are_stored_again_before_others_need_their_places_stay(again):
    predicted, recorded = longer(f"{ROW}, {again}")
    assert predicted == pytest.approx(recorded, abs=10)


@pytest.mark.parametrize("slices", ["one slice", "four slices"])
@pytest.mark.parametrize("line", [0, 7])
def test_one_line_more_takes_a_packet_or_two(slices, line):
    row = ROW if slices == "four slices" else "displaced/8 lines of one slice, all banks"
    row_only, again = predictions([row, f"{row}, line {line} again"], folder=H200)
    assert again.predicted[-1] - row_only.predicted[-1] == pytest.approx(done(again) - done(row_only), abs=2)
