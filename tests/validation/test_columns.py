"""Loads of a column by a thread each, `columns`: whose loads go first once the data have come from L2."""

from statistics import mean

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.predict import Prediction

ONE_SMSP_EACH = "4x1"


@pytest.mark.parametrize(("kind", "off"), [("missing", 0.025), ("held", 0.01)])
def test_groups_of_loads_are_back_as_on_the_gpu(kind: str, off: float) -> None:
    """All clocks behind groups, from the first one of the block on, in the mean."""
    found = predictions([one.name for one in bundle.family("columns") if f" {kind}, " in one.name])
    assert mean(abs(_mean_end(one, one.predicted) / _mean_end(one, one.recorded[-1]) - 1) for one in found) <= off


@pytest.mark.parametrize("stride", ["one bank", "one bank, three lines apart"])
def test_warps_that_wait_for_data_from_l2_take_turns(stride: str) -> None:
    """No warp of four has all its eight loads' data before the last one has its first group."""
    (found,) = predictions([f"columns/8 missing, {stride}"], [ONE_SMSP_EACH])
    for clocks in (found.predicted, found.recorded[-1]):
        ends = [warp[1 + 8 :] for warp in clocks]
        assert min(warp[-1] for warp in ends) > max(warp[0] for warp in ends)


def _mean_end(found: Prediction, clocks: list[list[int]]) -> float:
    count = int(found.name.removeprefix("columns/").split()[0])
    first = min(warp[0] for warp in clocks)
    return mean(end - first for warp in clocks for end in warp[1 + count :])
