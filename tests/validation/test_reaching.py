"""Stores that reach into the line of the next warp's, `reaching`: which of these lines L1 has afterwards."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import mean

import numpy as np
import pytest

from tests.validation.microbenchmarks import pace, predictions
from validation.calibration.families.reaching import ONCE, WORDS

FROM_L2 = 150  # cycles, and more, that a load takes whose line L1 has not kept
CLOCKS = 4  # of a round: the store's issue, as its sources are read, the load's issue, as its data is there
# Cycles between two warps' reads of what they store to a line: as it gathers both, and as it is on its way to L2.
TOGETHER, LEAVING = range(10), range(11, 15)


def test_lines_that_two_of_up_to_16_warps_store_to_at_once_stay_in_l1() -> None:
    for lines in _shared_lines(["2", "4", "8", "12", "16"]):
        assert not any(lost for apart, lost in lines if apart in TOGETHER)


# Here the SMSPs' stores go in turn, and none of a line come so far apart (DEVIATIONS, 15).
@pytest.mark.xfail(strict=True, reason="no two stores to a line come 11 to 14 cycles apart")
@pytest.mark.parametrize(("warps", "off"), [(["12", "16"], 0.2), (["24"], 0.1), (["32"], 0.1)])
def test_of_those_that_are_leaving_by_the_second_store_as_many_are_lost_as_on_the_gpu(
    warps: list[str], off: float
) -> None:
    both = [[lost for apart, lost in lines if apart in LEAVING] for lines in _shared_lines(warps)]
    assert all(both)
    predicted, recorded = map(mean, both)
    assert predicted == pytest.approx(recorded, abs=off)


@pytest.mark.parametrize("warps", ["2", "4", "8"])
def test_rounds_of_few_warps_keep_the_gpus_pace(warps: str) -> None:
    names = [f"reaching/rounds/{words} words on, next" for words in WORDS]
    for found in predictions(names, [warps]):
        assert pace(found.predicted) == pytest.approx(pace(found.recorded[-1]), rel=0.02), found


def _shared_lines(launches: Sequence[str]) -> Iterator[list[tuple[int, bool]]]:
    """Predicted and recorded: of each line of two warps how far apart they stored to it, and whether it is lost."""
    names = [f"reaching/once/{words} words on, not held" for words in WORDS if words > 0]
    found = list(predictions(names, launches))
    yield list(_lines(one.predicted for one in found))
    yield list(_lines(clocks for one in found for clocks in one.recorded))


def _lines(all_clocks: Iterable[Sequence[Sequence[int]]]) -> Iterator[tuple[int, bool]]:
    for clocks in all_clocks:
        table = np.array(clocks).reshape(len(clocks), ONCE, CLOCKS)
        read, lost = table[:, :, 1], table[:, :, 3] - table[:, :, 2] > FROM_L2
        yield from zip((read[:-1] - read[1:]).ravel().tolist(), lost[1:].ravel().tolist(), strict=True)
