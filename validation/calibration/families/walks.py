"""All threads of the GPU walk through slices of their own: every access of a warp touches 32 sectors of 32 lines.

A turn is two accesses, each to one half of the slices, and takes every thread ``step`` bytes on: 4 as a loop over the
elements of a slice does, 0 to the same sector again.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, AWAIT, SM, full, loop

FIRST, SECOND, THREAD, LANE = 48, 50, 54, 55  # registers
THREADS = (256, 512, 1024)
FEW = (1, 8, 33)
HALF = ALL_SMS * 1024  # slices behind which the second half of them begins
TURNS = (8, 24)  # of four bytes: no more than the shortest slice has


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for apart in (128, 256, 512, 1024, 2048):
        for turns in TURNS:
            yield _walk("LDG.32.GPU", apart, 4, turns, _launches(flush=True))
            yield _walk("LDG.32.GPU", apart, 0, turns, _launches(flush=False))
            yield _walk("LDG.32", apart, 4, turns, _launches(flush=True))
            yield _walk("STG.32", apart, 4, turns, _launches(flush=False))


def _launches(*, flush: bool) -> tuple[Launch, ...]:
    return (
        *(full(f"132 blocks of {threads}", threads=threads, flush=flush) for threads in THREADS),
        *(full(f"{blocks} blocks", blocks=blocks, flush=flush) for blocks in FEW),
    )


def _walk(name: str, apart: int, step: int, turns: int, launches: tuple[Launch, ...]) -> Experiment:
    if name.startswith("STG"):
        body = [op(name, 4, FIRST, 0, 40, stall=2), op(name, 4, SECOND, 0, 40, stall=2, read=0)]
    else:
        body = [op(name, 24, 4, FIRST, stall=2), op(name, 25, 4, SECOND, stall=2, write=0)]
    moves = [op("IADD3.IMM", pointer, pointer, step, RZ, stall=SAFE) for pointer in (FIRST, SECOND) if step]
    title = f"walks/{name}, slices of {apart} bytes, {step} bytes a turn/{turns}"
    return loop(title, body, onward=[AWAIT, *moves], prepare=_slices(apart), turns=turns, launches=launches)


def _slices(apart: int) -> list[Instruction]:
    """Point every thread at its slice in both halves; the low words of the pointers do not overflow within a slice."""
    return [
        op("S2R.SMID", SM, write=0, stall=SAFE),
        op("LDC.64", FIRST, DATA, write=0, stall=SAFE),
        op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE),
        op("SHF.L.IMM", THREAD, 1, 5, RZ, stall=SAFE),
        op("IMAD.IMM", THREAD, THREAD, 1, LANE, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", FIRST, THREAD, apart, FIRST, wait=1, stall=SAFE),
        op("MOV.IMM", THREAD, HALF, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", SECOND, THREAD, apart, FIRST, stall=SAFE),
        op("NOP", stall=SAFE, wait=0x3F),
    ]
