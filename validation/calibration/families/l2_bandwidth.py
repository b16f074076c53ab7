"""Bandwidth between one SM and L2: one block of 1024 threads walks a buffer that L2 holds.

Loads bypass L1, stores go through it; every thread takes the next word behind the one of the thread before. The
buffer's first walk brings it to L2, the last one is timed.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, clock, constant, sm_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, OPERATIONS, VARIABLE, access_bytes

START, END = 8, 9
ALL = sm_warps(8)
THREADS = ALL.threads
UNROLLED = 8  # accesses per turn of the loop, as many as a warp has in flight
KILOBYTES = (128, 256, 512, 1024)
TURNS, ONE = 60, 61  # registers


def experiments() -> Iterator[Experiment]:
    """Yield a walk per operation and size; ``count`` is the number of accesses of a warp."""
    for name in ("LDG.32.GPU", "LDG.128.GPU", "STG.32", "STG.128"):
        for kilobytes in KILOBYTES:
            count = kilobytes * 1024 // (THREADS * access_bytes(name))
            yield Experiment(
                f"l2_bandwidth/{name}/{count}",
                _walk(name, count),
                [START, END],
                [constant(ONE, 1)],
                (ALL,),
                iterations=3,
                sync=True,
                meta={"count": count},
            )


def _walk(name: str, count: int) -> list[Instruction]:
    width = access_bytes(name)
    accesses = []
    for i in range(UNROLLED):
        access = OPERATIONS[name](i)
        accesses.append(access.having(operands={**access.operands, "off": i * THREADS * width}, stall=2))
    barrier = {"write": 0} if name in VARIABLE else {"read": 0}
    accesses[-1] = accesses[-1].having(**barrier)
    return [
        constant(TURNS, count // UNROLLED),
        op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 0, width, GLOBAL, wait=1, stall=SAFE),
        clock(START, stall=4),
        accesses[0].having(label="walk"),
        *accesses[1:],
        op("IADD3.IMM", TURNS, TURNS, -1, RZ, stall=SAFE),
        op("ISETP", 0, TURNS, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, UNROLLED * THREADS * width, GLOBAL, stall=SAFE, wait=1),
        op("BRA", "walk", guard=0, stall=5),
        clock(END, stall=4),
    ]
