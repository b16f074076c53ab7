"""Stores of many lines, each behind a load of one line that L1 lacks, by many warps: does the port to L2 stand idle?

As in a plain transpose: a warp loads, stores what it has loaded to a line a lane, and goes on to its next load.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, DONE, EMPTY_L1, ISSUED, RECORDS, START, lanes_apart
from .operations import GLOBAL

LOADED, AHEAD = 56, 8 << 20  # register pair with the loads' addresses, bytes before these
TURNS = 6
LINES = (1, 4, 8, 16, 32)  # that a store touches
STRIDES = (128, 132)  # bytes from lane to lane: words of one bank, of a bank each
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 4, 8)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for lines in LINES:
        for stride in STRIDES if lines > 1 else STRIDES[:1]:
            yield _experiment(lines, stride)


def _experiment(lines: int, stride: int) -> Experiment:
    group = 6 - lines.bit_length()
    region: list[Instruction] = [*EMPTY_L1, clock(START, stall=4)]
    for i in range(TURNS):
        region += [op("LDG.32", 24, 4, LOADED, APART * i, write=0, stall=2)]
        region += [op("STG.32", 4, GLOBAL, 2 * APART * i, 24, wait=1, stall=2)]
    region += [clock(ISSUED, stall=2), op("LDG.32", 24, 4, LOADED, APART * TURNS, write=0, stall=2)]
    region += [clock(DONE, stall=4, wait=1), op("NOP", wait=0x3F, stall=SAFE)]
    own = [
        op("LDC.64", LOADED, DATA, write=0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", LOADED, 54, 16 * APART, LOADED, wait=1, stall=SAFE),
        op("MOV.IMM", 54, AHEAD, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", LOADED, 54, 1, LOADED, stall=SAFE),
    ]
    return Experiment(
        f"port_turns/{lines} lines, {stride} bytes apart",
        region,
        RECORDS,
        [*lanes_apart(stride, group, 4, warp_bytes=64 * APART), *own],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )
