"""Rows of loads that L1 holds, by SMSPs that begin some cycles apart: when each load is back.

A warp's loads make their passes one after the other; the rows show whom what waits for its own warp holds up.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, lanes_apart
from .draining import PAUSE, bits_of_smsp, wait_by_smsp
from .following import PATTERNS
from .operations import GLOBAL

START = 8
LOADS = 6
ONE_LINE = 58  # the address of loads of a line
LATER = (0, 2, 4, 8, 16, 32, 64)  # cycles between two SMSPs
LAUNCHES = (smsp_warps(1), Launch("2 SMSPs", 64, 3), Launch("3 SMSPs", 96, 7), *(sm_warps(n) for n in (1, 2)))
# Rows: a letter for each load, of many lines or of one.
ROWS = ("MMMMMM", "MM", "M11111", "MM1111", "M1M1M1")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for lines in ("1 line", "8 lines", "16 lines", "32 lines"):
        for row in ROWS if lines != "1 line" else ROWS[:1]:
            for later in LATER:
                yield _queued(row, lines, later)


def _queued(row: str, lines: str, later: int) -> Experiment:
    loads = [
        op("LDG.32", 24 + i, 4, GLOBAL if kind == "M" else ONE_LINE, APART * i, write=i, stall=2)
        for i, kind in enumerate(row)
    ]
    region = [
        *loads,
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("all"),
        *wait_by_smsp(later),
        clock(START, stall=4),
        *loads,
        *[clock(START + 1 + i, stall=2, wait=1 << i) for i in range(len(row))],
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    group, stride = PATTERNS[lines]
    return Experiment(
        f"queued/{row} of {lines}, {later} cycles later each",
        region,
        range(START, START + 1 + len(row)),
        _addresses(stride, group),
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _addresses(stride: int, group: int) -> Sequence[Instruction]:
    one = [op("MOV", ONE_LINE + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    return [*lanes_apart(4), *one, *lanes_apart(stride, group, 4), *bits_of_smsp()]
