"""Stores to one sector of a line of which another is on its way from L2: what L1 still has of the line."""

from collections.abc import Iterator

from ..program import Experiment
from ..sass import op
from .burst import lanes_apart
from .partly import by_distance

# Steps as in `partly`: a line of each lane's own, whose words 0 to 7, 8 to 15 and 16 to 23 are sectors. At ``...`` so
# many cycles pass; the last load is timed.
SEQUENCES = ("L0 ... S8 - L0", "L0 ... S8 - L8", "L8 - L0 ... S9 - L8", "L8 - L0 ... S9 - L9", "L8 - L0 ... S16 - L8")
LINES = (1, 4, 32)
DISTANCES = (0, 32, 64, 96, 128, 160, 176, *range(184, 296, 4), 304, 320, 352, 400, 480)
WAITED = 30
BYTES = 128


def experiments() -> Iterator[Experiment]:
    """Yield one program for each sequence and number of lines."""
    pauses = [[op("NOP", stall=8)] * (cycles // 8) + [op("NOP", stall=cycles % 8 or 1)] for cycles in DISTANCES]
    for lines in LINES:
        prepare = lanes_apart(BYTES, 6 - lines.bit_length(), 0)
        for sequence in SEQUENCES:
            yield by_distance(f"parts/{sequence}, {lines} lines", sequence, pauses, prepare, DISTANCES, WAITED)
