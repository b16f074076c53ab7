"""Rows of loads that set one barrier or several, all before the first is back: how many a barrier counts.

A clock behind each load. L1 lacks the lines; L2 has them, or not (``flushed``).
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import EMPTY_L1, lanes_apart
from .operations import GLOBAL
from .stopwatch import REGISTERS, RESULTS

LOADS = 80
FIRST = 20  # loads before the first that has a clock behind it
_START = RESULTS[0]  # records: the row begins; then one behind each load from the FIRST on; then all are back


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for barriers in (1, 2):
        yield _row(barriers, flush=False)
        yield _row(barriers, flush=True)


def _row(barriers: int, *, flush: bool) -> Experiment:
    """Loads of a sector of a line each, whose barriers take turns."""
    clocks = LOADS - FIRST
    row: list[Instruction] = []
    for i in range(LOADS):
        row.append(op("LDG.32", 40, 4, GLOBAL, 128 * i, write=i % barriers, stall=2))
        if i >= FIRST:
            row.append(clock(_START + 1 + i - FIRST, stall=2))
    return Experiment(
        f"outstanding/loads of {barriers} barriers" + ", flushed" * flush,
        [*EMPTY_L1, clock(_START, stall=4), *row, clock(_START + 1 + clocks, stall=SAFE, wait=(1 << barriers) - 1)],
        range(_START, _START + 2 + clocks),
        lanes_apart(0, 5, 0, 128 * LOADS),
        (smsp_warps(1, flush=flush), smsp_warps(2, flush=flush), sm_warps(1, flush=flush)),
        registers=REGISTERS,
        iterations=1 if flush else 3,
        sync=True,
        kind="timeline",
    )
