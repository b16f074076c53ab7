"""Rows of LDCs of lines of constants that nobody has touched: how many come before one waits, and for how long.

`missed/LINES N by N`: a clock stands behind every so manieth of a row that goes round those lines.
"""

from collections.abc import Iterator

from ..program import Experiment, clock, sm_warps, smsp_warps
from ..sass import op
from .constants import FIRST, to_next_line
from .operations import setup

FIRST_CLOCK = 8
CLOCKS = 24
ROWS = ("X", "XY", "XXXXY", "XYZW")
GROUPS = (1, 2, 4)
LINE_BYTES = 64
SHARED = 16384
LAUNCHES = (
    *(smsp_warps(warps, shared=SHARED) for warps in (1, 2, 4, 8)),
    *(sm_warps(warps, shared=SHARED) for warps in (1, 2, 4)),
)


def experiments() -> Iterator[Experiment]:
    """Yield each row with each number of LDCs between clocks."""
    for row in ROWS:
        for group in GROUPS:
            region = [*to_next_line(), clock(FIRST_CLOCK, stall=2)]
            for i in range(CLOCKS * group):
                line = "XYZW".index(row[i % len(row)])
                region.append(op("LDC", 40 + i % 8, FIRST + LINE_BYTES * line, stall=2))
                if (i + 1) % group == 0:
                    region.append(clock(FIRST_CLOCK + (i + 1) // group, stall=2))
            yield Experiment(
                f"missed/{row} {group} by {group}",
                region,
                range(FIRST_CLOCK, FIRST_CLOCK + CLOCKS + 1),
                setup(),
                LAUNCHES,
                iterations=1,
                sync=True,
                kind="timeline",
            )
