"""Loads of several words of sectors that miss L1, by many warps, turn after turn: when each of them is back.

A warp's lanes load 2 or 4 words, each lane of a line of its own, all of one bank, so that L1's data stage is never
idle, and go on with the next sectors as all have come. A program measures one of the loads, from the clock read behind
it.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps
from ..sass import Instruction, op
from .burst import EMPTY_L1, lanes_apart, pauses
from .operations import GLOBAL

COUNTS = (2, 4)
TURNS = 12
SECTOR_BYTES = 32
LANE_BYTES = TURNS * SECTOR_BYTES + 128  # whole lines, of all words of which the same is a bank's
PAUSE = 100  # cycles between two turns
FIRST = 24  # record
LAUNCHES = (sm_warps(2), sm_warps(4), sm_warps(8))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for count in COUNTS:
        for measured in range(count):
            region = [*EMPTY_L1]
            for turn in range(TURNS):
                region += _turn(turn, count, measured)
            yield Experiment(
                f"same_sectors/load {measured + 1} of {count}",
                region,
                range(FIRST, FIRST + 2 * TURNS),
                lanes_apart(LANE_BYTES, warp_bytes=32 * LANE_BYTES),
                LAUNCHES,
                iterations=2,
                sync=True,
                kind="timeline",
            )


def _turn(turn: int, count: int, measured: int) -> list[Instruction]:
    """All loads of one turn; the record behind the one that is measured, and the record of when it is back."""
    row: list[Instruction] = []
    for load in range(count):
        row.append(op("LDG.32", 8 + load, 4, GLOBAL, SECTOR_BYTES * turn + 4 * load, write=load, stall=2))
        if load == measured:
            row.append(clock(FIRST + 2 * turn, stall=2))
    back = clock(FIRST + 2 * turn + 1, stall=4, wait=1 << measured)
    return [*row, back, op("NOP", wait=0x3F, stall=SAFE), *pauses(PAUSE)]
