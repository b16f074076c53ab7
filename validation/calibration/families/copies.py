"""Asynchronous copies: when LDGDEPBAR's barrier is free behind groups of them, and when DEPBAR lets the warp pass.

`copies/OPERATION`: the copies of a probe hit L1 (LDGSTS.32, .128) or all wait for L2 (LDGSTS.BYPASS.128).
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, sm_warps
from ..sass import Instruction, op
from .operations import setup
from .probes import LAST, Probe, probes
from .rare import RARE

OPERATIONS = ("LDGSTS.32", "LDGSTS.128", "LDGSTS.BYPASS.128")
APART = 10  # NOPs of 11 cycles between two groups
_LAUNCHES = (Launch("1", shared=32768), sm_warps(1, shared=32768), sm_warps(2, shared=32768))
_END = op("LDGDEPBAR", write=0, stall=4)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name in OPERATIONS:
        yield from probes(f"copies/{name}", list(_probes(name)), setup(name), _LAUNCHES)
    mixed = list(_mixed("LDGSTS.128", "LDGSTS.BYPASS.128"))
    yield from probes("copies/hits and misses", mixed, setup("LDGSTS.128"), _LAUNCHES)


def _copies(name: str, count: int) -> list[Instruction]:
    return [RARE[name](i).having(stall=2) for i in range(count)]


def _passes(left: int) -> Instruction:
    return op("DEPBAR.LE", left, stall=4)


def _pause(nops: int) -> list[Instruction]:
    return [op("NOP", stall=SAFE)] * nops


def _probes(name: str) -> Iterator[Probe]:
    for count in (0, 1, 2, 4, 8):
        copies = _copies(name, count)
        yield f"{count}, wait", [*copies, op("LDGDEPBAR", write=LAST, stall=4)]
        yield f"{count}, DEPBAR", [*copies, _END, _passes(0)]
        yield f"{count}, pause, DEPBAR", [*copies, *_pause(APART), _END, _passes(0)]
    for groups in (2, 3):
        for left in range(groups):
            body = [*_copies(name, 1), _END] * groups
            yield f"{groups} groups, {left} left", [*body, _passes(left)]
            body = [*_copies(name, 1), _END, *_pause(APART)] * groups
            yield f"{groups} groups apart, {left} left", [*body, _passes(left)]
    for left in (0, 1, 2):
        yield f"a group and 2 empty, {left} left", [*_copies(name, 2), _END, _END, _END, _passes(left)]
    yield "two waits", [*_copies(name, 1), _END, *_copies(name, 1), _END, _passes(1), _passes(0)]


def _mixed(hits: str, misses: str) -> Iterator[Probe]:
    for first, second in ((hits, misses), (misses, hits)):
        for left in (0, 1):
            body = [*_copies(first, 1), _END, *_copies(second, 1), _END]
            yield f"{first}, {second}, {left} left", [*body, _passes(left)]
