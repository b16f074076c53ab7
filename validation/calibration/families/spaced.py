"""Two instructions of the MIO, the second so many cycles behind the first: when each is done, by one warp alone."""

from collections.abc import Iterator
from itertools import product

from ..program import SAFE, Experiment, Launch, clock
from ..sass import Instruction, op
from .burst import pauses
from .mio import KINDS, WRITES, prepare

DISTANCES = (*range(1, 13), 14, 16, 20)
FIRST = 64  # record: a clock before, and one behind each of both, for each distance
CLOCKS = 3
NAMES = (
    *("SHFL.BFLY", "SHFL.IDX", "REDUX.SUM", "S2R.TID", "MUFU.RCP"),
    *("LDS.32", "LDS.128", "STS.32", "STS.128", "ATOMS.ADD", "LDG.32"),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, second in product(NAMES, repeat=2):
        yield _pairs(first, second)


def _pairs(first: str, second: str) -> Experiment:
    region: list[Instruction] = []
    for i, distance in enumerate(DISTANCES):
        further = pauses(distance - SAFE) if distance > SAFE else []
        clocks = [FIRST + CLOCKS * i + j for j in range(CLOCKS)]
        region += [
            clock(clocks[0], stall=SAFE),
            _done_by(first, 0).having(stall=min(distance, SAFE)),
            *further,
            _done_by(second, 1).having(stall=2),
            clock(clocks[1], wait=1, stall=2),
            clock(clocks[2], wait=2, stall=2),
            op("NOP", wait=0x3F, stall=SAFE),
            *pauses(2 * SAFE),
        ]
    return Experiment(
        f"spaced/{first}, {second}",
        region,
        range(FIRST, FIRST + CLOCKS * len(DISTANCES)),
        prepare(),
        (Launch(shared=16384),),
        registers=128,
        iterations=3,
        kind="timeline",
    )


def _done_by(name: str, barrier: int) -> Instruction:
    instruction = KINDS[name](4 * barrier)
    return instruction.having(write=barrier) if name.startswith(WRITES) else instruction.having(read=barrier)
