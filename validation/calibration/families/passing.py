"""Loads that miss L1 between stores to lines that wait: behind which of them they go to L2, and what still gathers.

A warp stores a word of each of some lines, and it or a warp of another SMSP loads another line some cycles later. Or it
loads, stores to the same lines again, and loads once more: what is back the later, the more lines were stored for good.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, further_on, pauses
from .operations import GLOBAL, setup

START, BACK, LAST = 8, 9, 10
# Bytes from a lane's word to the next one's, and how many lanes store.
SHAPES = {
    "1 line": (4, 32),
    "2 lines": (8, 32),
    "4 lines": (16, 32),
    "4 lines, all banks": (132, 4),
    "8 lines, all banks": (132, 8),
    "16 lines, all banks": (132, 16),
    "28 lines, all banks": (132, 28),
}
AGAIN = ("1 line", "4 lines", "8 lines, all banks", "28 lines, all banks")
BEHIND = (*range(0, 18, 2), 20, 24, 28, 32, 40, 48)
BEFORE_AGAIN = (0, 4, 6, 8, 10, 12, 16, 20)
WHOSE = {"its own": smsp_warps(1), "another SMSP's": Launch("2", 64, 0b11)}
LOADED, FURTHER = 56, 58
_ANOTHER, _STAYS_OUT = 1, 2  # predicates: not the first warp; a lane that does not store
_LANE, _WARP, _SCRATCH = 53, 54, 55


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for whose in WHOSE:
        yield _experiment("alone", "1 line", whose, [_load(whose, LOADED, 24)])
        for shape in SHAPES:
            for cycles in BEHIND:
                row = [_store(0), *pauses(cycles), _load(whose, LOADED, 24)]
                yield _experiment(f"{shape}, {cycles} cycles", shape, whose, row)
        for shape in AGAIN:
            for cycles in BEFORE_AGAIN:
                row = [_store(0), _load(whose, LOADED, 24), *pauses(cycles), _store(4), _load("its own", FURTHER, 25)]
                yield _experiment(f"{shape}, again behind {cycles} cycles", shape, whose, row)


def _store(offset: int) -> Instruction:
    return op("STG.32", 4, GLOBAL, offset, 40, guard=~_STAYS_OUT, read=0, stall=2)


def _load(whose: str, address: int, result: int) -> Instruction:
    own = {} if whose == "its own" else {"guard": _ANOTHER}
    barrier = 1 if address == LOADED else 2
    return op("LDG.32", result, 4, address, 0, write=barrier, stall=2, **own)


def _experiment(label: str, shape: str, whose: str, row: list[Instruction]) -> Experiment:
    apart, lanes = SHAPES[shape]
    prepare = [
        *setup(lane_stride=0),
        op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE),
        *further_on(LOADED, 1 << 21),
        *further_on(FURTHER, 1 << 22),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _LANE, apart, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", _WARP, RZ, 5, 0, stall=SAFE),
        op("ISETP", _ANOTHER, _WARP, RZ, stall=SAFE),
        op("IADD3.IMM", _SCRATCH, _LANE, 32 - lanes, RZ, stall=SAFE),  # its bit 5: from that lane on
        op("LOP3.IMM", _SCRATCH, _SCRATCH, 32, RZ, stall=SAFE),
        op("IADD3.IMM", _SCRATCH, _SCRATCH, 0, _WARP, stall=SAFE),
        op("ISETP", _STAYS_OUT, _SCRATCH, RZ, stall=SAFE),
    ]
    region = [
        *EMPTY_L1,
        clock(START, stall=4),
        *row,
        clock(BACK, stall=4, wait=1 << 1),
        clock(LAST, stall=4, wait=1 << 2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"passing/{whose}: {label}",
        region,
        [START, BACK, LAST],
        prepare,
        [WHOSE[whose]],
        iterations=2,
        sync=True,
        kind="spans",
    )
