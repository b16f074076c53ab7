"""How lines are spread over the sets, partitions and channels of the memory system.

Which partition of L2 and which bank of DRAM are a line's is known but for constants of a page. The other hash functions
of the hardware are not; these spread lines evenly, wherever a kernel's lines lie evenly apart.
"""

from smsim.rules.bits import number_of
from smsim.rules.rule import rule
from smsim.state.chip import L2_PARTS, NUM_L2_SLICES, NUM_SIDES, PART_SLICES

# Lines that stay together in one partition of L2: 4 KB (``neighbours``).
NEIGHBOURS = 32
# Seen on the H100: the parity of these bits of the number of a block of 4 KB says which partition is its home, but for
# a constant that each page of 2 MB has of its own (``neighbours``). Which, is not known: block 0's first page is far,
# as it was in most of the recorded launches.
HOME_BITS = 0b10110011
PAGE = 1 << 14  # lines
# Seen on the H100 (``refresh``): a channel of DRAM has units of four lines. Of every other 64 KB the units of five lie
# behind each other, five units of 4 KB in a bank, from a place that each page of 2 MB has of its own and that is not
# known. The banks in this order, by when they are refreshed.
CHUNK = 512  # lines
CHUNKS, UNITS, BANK_UNITS = 5, 8, 5
TURNS = (10, 14, 6, 2, 5, 1, 9, 13)


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
    return spread(unit_of(line), NUM_L2_SLICES)


@rule
def part_slice_of(line: int) -> int:
    """The slice of a partition that has a line: the slices of each of its five parts have numbers in a row.

    Seen on the H100, within a page of 2 MB (reductions of 16 SMs at two lines each, ``calibration/README.md``); which
    slice of its part a page begins with is not known.
    """
    part = number_of(line & 0xC48) % 2 + number_of(line & 0x3490) % 2 * 2 + number_of(line & 0x3422) % 2 * 3
    within = number_of(line & 0x1230) % 2 + number_of(line & 0x3140) % 2 * 2 + number_of(line & 0x1880) % 2 * 4
    return (part + (line >> 10) * 4) % L2_PARTS * PART_SLICES + (within ^ spread(line // PAGE + 1, PART_SLICES))


@rule
def unit_of(line: int) -> int:
    """The number of the four lines, of one channel, that a line belongs to: of 1 KB two pairs 512 bytes apart each."""
    return line >> 3 << 1 | (line >> 1 & 1)


@rule
def home_of(line: int) -> int:
    """The partition that is a line's home: of two neighbouring 4 KB each has one (``neighbours``)."""
    block, page = line // NEIGHBOURS, line // PAGE
    return number_of(block & HOME_BITS) & 1 ^ spread(page, NUM_SIDES)


@rule
def turn_of(line: int) -> int:
    """As which of its channel's 16 the bank of DRAM that is a line's is refreshed (``refresh``).

    But for constants of the page: so it is of 3,921 of 3,923 units of a page of 2 MB.
    """
    chunk, block, page = line // CHUNK, line // NEIGHBOURS, line // PAGE
    unit = (unit_of(line) ^ block) & UNITS - 1
    place = (chunk >> 1) % CHUNKS * UNITS + unit + spread(page, CHUNKS * UNITS)
    return TURNS[place % (CHUNKS * UNITS) // BANK_UNITS] ^ (chunk & 1) << 1
