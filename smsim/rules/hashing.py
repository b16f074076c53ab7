"""How lines are spread over the sets, partitions and channels of the memory system.

The hash functions of the hardware are not known; these spread lines evenly, wherever a kernel's lines lie evenly apart.
"""

from smsim.rules.rule import rule
from smsim.state import NUM_L2_SLICES

# Lines that stay together in one partition of L2: 4 KB (``neighbours``).
NEIGHBOURS = 32


@rule
def spread(number: int, parts: int) -> int:
    """The part that a number falls into: numbers that are evenly apart fall into all alike (Fibonacci hashing)."""
    low = (number ^ number >> 31) & 0x7FFFFFFF
    return ((low * 0x9E3779B1) & 0xFFFFFFFF) * parts >> 32


@rule
def scatter(number: int, parts: int) -> int:
    """The part that a number falls into, as if drawn: some parts get more than others."""
    mixed = (number ^ number >> 31) & 0x7FFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x2C1B3C6D & 0x7FFFFFFF
    mixed = (mixed ^ mixed >> 12) * 0x297A2D39 & 0x7FFFFFFF
    return (mixed ^ mixed >> 15) * parts >> 31


@rule
def l2_slice_of(line: int) -> int:
    """The slice of L2, and with it the channel of DRAM, that is a line's: of 1 KB two have four lines each.

    Pairs of lines, two of them 512 bytes apart, are in one (``gpu_atomics``); they are late together (``neighbours``).
    """
    return spread(line >> 3 << 1 | (line >> 1 & 1), NUM_L2_SLICES)
