"""Which lines of DRAM are late together, and which partition of L2 is a block's home, is as on the H100."""

from itertools import combinations
from statistics import mean

import numpy as np
import pytest
from numpy.typing import NDArray

from smsim.machine import load
from smsim.rules.hashing import HOME_BITS, l2_slice_of
from smsim.rules.rule import entry
from tests.validation.microbenchmarks import stopwatches
from validation.calibration.bundle import family
from validation.calibration.families.neighbours import BLOCKS, PIECES
from validation.calibration.recordings import Recordings

WARPS = 32
FAR = 725  # cycles: between a line whose home is near and one whose home is far
LATE = 110  # cycles behind what most of a block's lines take
MOST_OFF = 0.085  # of 32 blocks: refreshes come by chance
MOST_OFF_OF_PIECES = 0.05


@entry
def slice_number(line: int) -> int:
    """The slice of a line."""
    return l2_slice_of(line)


def recorded(name: str, launch: str) -> NDArray[np.int64]:
    """Cycles that loads took, by repeat, warp and block."""
    return np.array(Recordings().launches("neighbours", f"neighbours/{name}", launch))


@pytest.fixture(scope="module")
def lines() -> NDArray[np.int64]:
    """Of each 4 KB of `neighbours/lines` the cycles that its 32 lines took, one block after the other."""
    return recorded("lines", "4x8").transpose(0, 2, 1).reshape(-1, WARPS)


def predicted(name: str) -> NDArray[np.int64]:
    """Cycles that loads take, by warp and block."""
    (experiment,) = (one for one in family("neighbours") if one.name == f"neighbours/{name}")
    return stopwatches(experiment, load("h100"))


@pytest.mark.parametrize("name", ["lines", "lines of 1 blocks", "lines of 4 blocks"])
def test_a_block_takes_as_long(name: str) -> None:
    slowest = recorded(name, "4x8").max(axis=1)
    assert mean(predicted(name).max(axis=0)) == pytest.approx(slowest.mean(), rel=MOST_OFF)


@pytest.mark.parametrize(("stride", "shift"), PIECES)
def test_pieces_of_lines_take_as_long(stride: int, shift: int) -> None:
    name = f"pieces {stride} bytes apart, {1 << shift} lanes each"
    assert mean(predicted(name)[0]) == pytest.approx(recorded(name, "1").mean(), rel=MOST_OFF_OF_PIECES)


def test_lines_of_a_slice_are_late_together(lines: NDArray[np.int64]) -> None:
    late = lines - np.percentile(lines, 25, axis=1)[:, np.newaxis] > LATE
    late = late[late.mean(axis=1) < 0.75]
    together = {True: [0, 0], False: [0, 0]}
    for one, other in combinations(range(WARPS), 2):
        counts = together[slice_number(one) == slice_number(other)]
        counts[0] += int((late[:, one] & late[:, other]).sum())
        counts[1] += int((late[:, one] | late[:, other]).sum())
    same, different = (both / either for both, either in together.values())
    assert same > 0.5
    assert different < 0.25


def test_the_home_of_a_block_is_the_parity_of_its_number() -> None:
    """But for a constant of the page: each repeat has a page of its own, and DRAM is refreshed now and then."""
    times = np.concatenate([recorded(f"blocks from {first}", "1")[:, 0] for first in range(0, 512, BLOCKS)], axis=1)
    parity = np.array([(number & HOME_BITS).bit_count() % 2 for number in range(times.shape[1])])
    agree = ((times > FAR) == parity).mean(axis=1)
    assert np.all(np.maximum(agree, 1 - agree) > 0.8)
    for bit in range(9):
        flipped = ((times > FAR) == parity ^ np.arange(len(parity)) >> bit & 1).mean(axis=1)
        assert np.all(np.abs(flipped - 0.5) < 0.1)
