"""Bursts: a row of accesses between two clock reads, and a third one when all of them are done."""

from collections.abc import Sequence

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, setup

START, ISSUED, DONE = 8, 9, 10
RECORDS = [START, ISSUED, DONE]
APART = 4096  # bytes between two accesses of a burst
FURTHEST = 64 * APART  # bytes between two warps
LAUNCHES = (smsp_warps(1), smsp_warps(4), *(sm_warps(n) for n in (1, 2, 4, 8)))
EMPTY_L1_ALONE = (op("CCTL.IVALL", stall=SAFE), *[op("NOP", wait=0x3F, stall=SAFE)] * 8)  # for one warp
EMPTY_L1 = (*EMPTY_L1_ALONE, *block_barrier("emptied"))


def lanes_apart(stride: int, group: int = 0, inner: int = 0, warp_bytes: int = FURTHEST) -> list[Instruction]:
    """Instructions that set the address of lane ``l`` of warp ``w`` in ``GLOBAL``.

    It is ``(l >> group) * stride + (l & ((1 << group) - 1)) * inner + w * warp_bytes`` bytes behind the data.
    """
    return [
        *setup(lane_stride=0),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", 54, 53, (1 << group) - 1, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, group, 53, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, stride, GLOBAL, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, inner, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, warp_bytes, GLOBAL, stall=SAFE),
    ]


def further_on(register: int, apart: int) -> list[Instruction]:
    """Instructions that set a register pair to the addresses in ``GLOBAL``, so many bytes further on."""
    return [
        op("MOV.IMM", 54, apart, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", register, 54, 1, GLOBAL, stall=SAFE),
    ]


def pauses(cycles: int) -> list[Instruction]:
    """Instructions that do nothing for so many cycles."""
    stalls = [SAFE] * (cycles // SAFE) + [cycles % SAFE] * (cycles % SAFE > 0)
    return [op("NOP", stall=stall) for stall in stalls]


def timed_groups(
    before: Sequence[Instruction], row: Sequence[Instruction], start: int, ends: int, groups: int
) -> list[Instruction]:
    """Instructions that empty L1, execute what comes before, then a row, its warps together.

    A clock is read before the row, in a register, and one behind each group of its loads, in registers from ``ends``
    on; those of a group set the barrier of its number.
    """
    return [
        *EMPTY_L1,
        *before,
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("begin"),
        clock(start, stall=4),
        *row,
        *[clock(ends + i, stall=2, wait=1 << i) for i in range(groups)],
        op("NOP", wait=0x3F, stall=SAFE),
    ]


def timed_loop(
    row: Sequence[Instruction], start: int, end: int, trips: int, *, wait: int = 0, label: str = "loop"
) -> list[Instruction]:
    """Instructions that go round a row, as often as the register ``trips`` says, between two clocks, in two registers.

    The last one waits for the barriers of a mask. Predicate 1 is the loop's.
    """
    return [
        clock(start, stall=4),
        op("IADD3.IMM", trips, trips, -1, RZ, stall=5, label=label),
        *row,
        op("ISETP", 1, trips, RZ, stall=13),
        op("BRA", label, guard=1, stall=5),
        clock(end, stall=4, wait=wait),
    ]


def from_on(predicate: int, first: int, number: int, scratch: int) -> list[Instruction]:
    """Instructions that set a predicate to whether the ``number`` in a register, below 32, is ``first`` or above it."""
    return [
        op("IADD3.IMM", scratch, number, 32 - first, RZ, stall=SAFE),  # its bit 5
        op("LOP3.IMM", scratch, scratch, 32, RZ, stall=SAFE),
        op("ISETP", predicate, scratch, RZ, stall=SAFE),
    ]


def by_bits(row: int, number: int, distances: Sequence[int], scratch: int) -> list[Instruction]:
    """Instructions that set a register to the sum of the distances whose bits the ``number`` in a register has."""
    instructions = [op("LOP3.IMM", row, number, 0, RZ, stall=SAFE)]
    for bit, distance in enumerate(distances):
        instructions += [
            op("SHF.R.IMM", scratch, RZ, bit, number, stall=SAFE),
            op("LOP3.IMM", scratch, scratch, 1, RZ, stall=SAFE),
            op("IMAD.IMM", row, scratch, distance, row, stall=SAFE),
        ]
    return instructions


def burst(
    name: str,
    accesses: Sequence[Instruction],
    prepare: Sequence[Instruction],
    *,
    fence: bool = False,
    before: Sequence[Instruction] = (),
    launches: Sequence[Launch] = LAUNCHES,
    iterations: int = 2,
) -> Experiment:
    """The experiment that times a burst: its latest issue and its latest end of any warp.

    Args:
        name: of the experiment.
        accesses: the burst; barrier 0 of each is waited for.
        prepare: what sets the addresses.
        fence: whether a fence behind the burst says when it is done, and not barrier 0.
        before: instructions before each burst.
        launches, iterations: as the experiment's.
    """
    done = [op("MEMBAR.GPU", read=0, stall=2)] if fence else []
    region = [
        *before,
        clock(START, stall=4),
        *accesses,
        clock(ISSUED, stall=4),
        *done,
        clock(DONE, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        name,
        region,
        RECORDS,
        prepare,
        launches,
        iterations=iterations,
        sync=True,
        kind="spans",
        meta={"count": len(accesses)},
    )
