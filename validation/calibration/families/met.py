"""Two SMSPs' instructions of the MIO that come so many cycles apart: how long each takes.

Warp 0 does one thing some cycles behind a block barrier, the other warps another thing, a cycle later each time.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from ..program import SAFE, Experiment, Launch, block_barrier, clock
from ..sass import Instruction, op
from .burst import pauses
from .mio import KINDS, WRITES, prepare

OFFSETS = 30
PAUSE = 18  # cycles until warp 0 begins, about
FIRST = 64  # record: a clock before and one behind, for each offset
NAMES = (
    *("SHFL.BFLY", "SHFL.IDX", "REDUX.SUM", "S2R.TID"),
    *("LDS.32", "LDS.64", "LDS.128", "LDS.32 8-way", "STS.32", "STS.128", "ATOMS.ADD", "ATOMS.ADD 8-way", "LDG.32"),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, others in product(NAMES, repeat=2):
        yield _program(first, others)


def _program(first: str, others: str) -> Experiment:
    region: list[Instruction] = []
    for i in range(OFFSETS):
        before, behind = FIRST + 2 * i, FIRST + 2 * i + 1
        region += [
            *block_barrier(f"begin{i}"),
            op("BRA", f"others{i}", guard=1, stall=5),
            *pauses(PAUSE),
            *_timed(first, before, behind),
            op("BRA", f"join{i}", stall=5),
            op("NOP", label=f"others{i}"),
            *pauses(1 + i),
            *_timed(others, before, behind),
            op("NOP", wait=0x3F, stall=SAFE, label=f"join{i}"),
            *pauses(2 * SAFE),
        ]
    return Experiment(
        f"met/{first} beside {others}",
        region,
        range(FIRST, FIRST + 2 * OFFSETS),
        prepare(),
        (Launch("2", 64, 3, shared=16384),),
        registers=128,
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _timed(name: str, before: int, behind: int) -> Sequence[Instruction]:
    last = KINDS[name](0)
    last = last.having(write=0, stall=2) if name.startswith(WRITES) else last.having(read=0, stall=2)
    return [clock(before, stall=2), last, clock(behind, stall=2, wait=1)]
