"""Lines of one set of L1: how many stay, and which is given up for another.

A probe is one load of a line: about 35 cycles where L1 holds it, 270 and more where it does not. A row of probes is the
history of the set, hit by hit and miss by miss.
"""

from collections.abc import Iterator
from random import Random

from smsim.rules.tags import SET_MASKS

from ..program import Experiment
from .l1 import probes

LINE_BYTES = 128
LINES = 1 << 14  # among which lines of a set are looked for
COUNTS = (2, 3, 4, 5, 6, 8)
ROWS = 12
PROBES = 40


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    same = lines_of_set(ROWS + 4)
    for count in COUNTS:
        offsets = [LINE_BYTES * line for line in same[:count]]
        yield probes(f"tags/{count} lines of a set, again", [*offsets, *offsets], offsets)
    for row in range(ROWS):
        draw = Random(row)
        lines = draw.sample(same, 5 + row % 4)
        yield probes(
            f"tags/row {row} of {len(lines)} lines of a set",
            [],
            [LINE_BYTES * draw.choice(lines) for _ in range(PROBES)],
        )
    other = list(range(1, LINES, 509))[:24]
    yield probes(
        "tags/24 lines of other sets, again",
        [LINE_BYTES * line for line in other] * 2,
        [LINE_BYTES * line for line in other],
    )


def lines_of_set(count: int) -> list[int]:
    """So many lines of the set of line 0, the lowest."""
    lines = (line for line in range(LINES) if not any((line & mask).bit_count() % 2 for mask in SET_MASKS))
    return [line for _, line in zip(range(count), lines, strict=False)]
