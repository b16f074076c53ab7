"""Throughput of shared memory and L1: bank conflicts, scattered lines, wide accesses, capacity, L2 seen from one SM."""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import op
from .operations import GLOBAL, access_bytes, setup
from .throughput import LONG, timed

PARTS = (1, 2, 4, 8, 16, 32)
LAUNCHES = (smsp_warps(1, shared=49152), *(sm_warps(n, shared=49152) for n in (1, 2, 4, 8)))
START, END = 8, 9


def experiments() -> Iterator[Experiment]:
    """Yield the memory throughput programs."""
    for parts in PARTS:
        for count in LONG:
            for name in ("LDS.32", "STS.32"):
                yield timed(
                    f"memory/{name}/{parts}-way/{count}", (name,), count, LAUNCHES, prepare=setup(name, 4 * parts)
                )
            for name in ("LDG.32", "LDG.32.GPU", "STG.32", "LDG.64", "LDG.128"):
                if 4 * parts < access_bytes(name):
                    continue
                yield timed(
                    f"memory/{name}/stride {4 * parts}/{count}",
                    (name,),
                    count,
                    LAUNCHES,
                    prepare=setup(name, 4 * parts),
                )
            shift = parts.bit_length() - 1
            for name in ("ATOMS.ADD", "ATOMG.ADD", "RED.ADD", "LDG.32", "LDS.32"):
                yield timed(
                    f"memory/{name}/{parts} lanes an address/{count}",
                    (name,),
                    count,
                    LAUNCHES,
                    prepare=setup(name, 4, shift),
                )
    yield from _working_sets()


def _working_sets() -> Iterator[Experiment]:
    """One warp walks `kilobytes` of global memory line by line, 32 lanes x 4 bytes, twice and more: L1, L2, DRAM."""
    steps = 64
    for kilobytes in (64, 128, 160, 176, 192, 208, 224, 240, 256, 288, 384, 512, 1024, 4096, 32768):
        turns = kilobytes * 1024 // (steps * 128)
        body = [op("LDG.32", 10 + i % 4, 4, GLOBAL, 128 * i, stall=2) for i in range(steps - 1)]
        body.append(op("LDG.32", 13, 4, GLOBAL, 128 * (steps - 1), stall=2, write=0))
        region = [
            op("MOV.IMM", 60, turns, stall=SAFE),
            op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
            op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 4, GLOBAL, wait=1, stall=SAFE),
            clock(START, stall=4),
            *[body[0].having(label="walk"), *body[1:]],
            op("IADD3.IMM", 60, 60, -1, 255, stall=SAFE),
            op("ISETP", 0, 60, 255, stall=SAFE),
            op("IMAD.WIDE.U32.IMM", GLOBAL, 14, 128 * steps, GLOBAL, stall=SAFE, wait=1),
            op("BRA", "walk", guard=0, stall=5),
            clock(END, stall=4),
        ]
        one = [op("MOV.IMM", 14, 1, stall=SAFE)]
        yield Experiment(
            f"memory/walk {kilobytes} KB",
            region,
            [START, END],
            [*setup(), *one],
            (Launch(),),
            iterations=3,
            meta={"count": turns * steps},
        )
