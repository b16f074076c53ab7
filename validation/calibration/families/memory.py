"""Throughput of shared memory and L1: bank conflicts, scattered lines, wide accesses, capacity, L2 seen from one SM."""

from collections.abc import Iterator

from ..program import Experiment, Launch, sm_warps, smsp_warps
from .operations import access_bytes, setup
from .throughput import LONG, timed
from .walk import walk

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
    for kilobytes in (64, 128, 160, 176, 192, 208, 224, 240, 256, 288, 384, 512, 1024, 4096, 32768):
        yield walk(f"memory/walk {kilobytes} KB", kilobytes, 64, (Launch(),))
