"""How lines are spread over the sets, partitions and channels of the memory system.

The hash functions of the hardware are not known; these spread lines evenly, wherever a kernel's lines lie evenly apart.
"""

from smsim.rules.rule import rule

# Lines that stay together in one partition of L2 and one channel of DRAM: 4 KB. Loads of a few neighbours take as long
# as of one line, which they would not if each had a home of its own (``gpu_bandwidth``, streams of one warp).
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
