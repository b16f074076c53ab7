"""Where warps' local memories lie, by the sets of L1 that have their words."""

import csv
from pathlib import Path

import numpy as np

from smsim.accesses import LINES_ABOVE_STACK, STACK_LINES
from smsim.rules.tags import HASHED_BITS, SET_MASKS

# Each a place of a warp on the SM, a word of its ``unsigned local[32]``, and a set of L1 whose lines of global memory,
# six of them loaded twice, pushed that word's line out in two of three tries, all that did so: one block of 1,024
# threads on an H100 80GB HBM3, 2026-11-23. The hand that keeps lines free takes one of two sets side by side.
SEEN = Path(__file__).with_name("local_sets.csv")
WORDS = 32
FIRST_LINE = 7 << 12  # where that SM's local memories begin: the one multiple of 4,096 lines below 2 ** 15 that fits


def pair_of_sets(line):
    """Two sets that are side by side, by the number of a line."""
    bits = line & (1 << HASHED_BITS) - 1
    parities = [np.bitwise_count(bits & mask).astype(np.int64) % 2 for mask in SET_MASKS]
    return sum(parity << bit for bit, parity in enumerate(parities)) >> 1


def test_words_of_local_memory_are_in_the_sets_that_pushed_them_out():
    with SEEN.open() as file:
        slot, word, seen = np.array([[int(number) for number in row] for row in list(csv.reader(file))[1:]]).T
    stack = FIRST_LINE + slot * STACK_LINES + STACK_LINES - LINES_ABOVE_STACK - WORDS
    # Which sets those of global memory are is known but for a constant.
    differences = pair_of_sets(stack + word) ^ seen >> 1
    assert len(set(differences.tolist())) == 1
