"""How lines are spread over L2's slices."""

import numpy as np

from smsim.rules.hashing import PAGE, part_slice_of
from smsim.rules.rule import entry
from smsim.state.chip import L2_PARTS, NUM_L2_SLICES, NUM_SIDES, PART_SLICES

SLICES = NUM_L2_SLICES // NUM_SIDES


@entry
def slice_number(line: int) -> int:
    """The slice of a partition that has a line."""
    return part_slice_of(line)


def test_a_page_is_spread_evenly_over_the_slices_of_a_partition():
    slices = np.array([slice_number(line) for line in range(PAGE)])
    counts = np.bincount(slices, minlength=SLICES)
    assert len(counts) == SLICES == L2_PARTS * PART_SLICES
    assert counts.min() > 0.8 * counts.mean()
    assert counts.max() < 1.2 * counts.mean()


def test_two_pairs_of_lines_512_bytes_apart_share_a_slice():
    for line in range(0, PAGE, 8):
        assert len({slice_number(line + further) for further in (0, 1, 4, 5)}) == 1
