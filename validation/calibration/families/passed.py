"""A fence within the block, and what other SMSPs send some cycles before or after it.

Warp 0 does one thing some cycles behind a block barrier, the other warps another thing, a cycle later each time. All
read a clock before what they do, and one when its last instruction has its result or, without one, its sources.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..program import SAFE, Experiment, Launch, block_barrier, clock, first_warps
from ..sass import Instruction, op
from .burst import pauses
from .fenced import FENCE, FENCED, own_lines
from .mio import WRITES, prepare

SENT = ("LDG.32", "STG.32", "LDS.32", "STS.32", "SHFL.BFLY", "S2R.TID", "LDC")
FIRST_DO = (
    "LDG.32+LDG.32",
    f"LDG.32+{FENCE}+LDG.32",
    f"LDG.32+{FENCE}+LDG.32+LDG.32",
    f"LDG.32+{FENCE}+LDG.32+{FENCE}+LDG.32+{FENCE}",
    f"LDG.32+{FENCE}+LDS.32",
    f"LDS.32+{FENCE}+LDG.32",
    f"LDS.32+{FENCE}+LDS.32",
    f"STG.32+{FENCE}+STG.32",
    f"STG.32+{FENCE}+LDG.32",
    f"{FENCE}+LDG.32",
    f"{FENCE}+{FENCE}+LDG.32",
    f"{FENCE}+{FENCE}",
)
OTHERS_DO = (
    *("LDG.32", "LDS.32", "STG.32", "SHFL.BFLY", FENCE),
    *(f"LDG.32+{FENCE}", f"LDS.32+{FENCE}", f"LDG.32+{FENCE}+LDG.32"),
)
OFFSETS = 30
EARLY, LATE = 6, 18  # cycles until warp 0 begins, about
FIRST = 64  # record: a clock before and one behind, for each offset
Timed = Callable[[int, int], Sequence[Instruction]]
LAUNCHES = (
    *first_warps((2, 3, 4)),
    Launch("same", 160, 0b10001),
    Launch("2 and same", 160, 0b10011),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in SENT:
        fenced = f"{kind}+{FENCE}"
        for first, others in ((kind, FENCE), (fenced, kind), (fenced, fenced), (fenced, FENCE), (FENCE, fenced)):
            yield _program(first, others, LATE)
    yield _program(FENCE, FENCE, LATE)
    for first in FIRST_DO:
        for others in OTHERS_DO:
            yield _program(first, others, EARLY)


def _program(first: str, others: str, pause: int) -> Experiment:
    name, prepared = f"passed/{first} beside {others}", [*prepare(), *own_lines()]
    return beside(name, partial(_timed, first), partial(_timed, others), pause, prepared=prepared, launches=LAUNCHES)


def beside(
    name: str, first: Timed, others: Timed, pause: int, *, prepared: Sequence[Instruction], launches: Sequence[Launch]
) -> Experiment:
    """A program in which warp 0 does one thing some cycles behind a barrier, and others another, each time later.

    Args:
        name: the program's.
        first: what warp 0 does, between clocks that are read to these two registers.
        others: what the other warps do, likewise.
        pause: cycles until warp 0 begins, about; the others begin 1 to ``OFFSETS`` cycles behind the barrier.
        prepared: instructions before; P1 tells the other warps.
        launches: configurations to run.
    """
    region: list[Instruction] = []
    for i in range(OFFSETS):
        before, behind = FIRST + 2 * i, FIRST + 2 * i + 1
        region += [
            *block_barrier(f"begin{i}"),
            op("BRA", f"others{i}", guard=1, stall=5),
            *pauses(pause),
            *first(before, behind),
            op("BRA", f"join{i}", stall=5),
            op("NOP", label=f"others{i}"),
            *pauses(1 + i),
            *others(before, behind),
            op("NOP", wait=0x3F, stall=SAFE, label=f"join{i}"),
            *pauses(2 * SAFE),
        ]
    records = range(FIRST, FIRST + 2 * OFFSETS)
    return Experiment(
        name, region, records, prepared, launches, registers=128, iterations=3, sync=True, kind="timeline"
    )


def _timed(mix: str, before: int, behind: int) -> Sequence[Instruction]:
    *row, last = [FENCED[kind](i).having(stall=2) for i, kind in enumerate(mix.split("+"))]
    last = last.having(write=0) if last.name.startswith(WRITES) else last.having(read=0, stall=6)
    return [clock(before, stall=2), *row, last, clock(behind, stall=2, wait=1)]
