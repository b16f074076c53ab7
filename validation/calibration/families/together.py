"""Loads and stores through L1 beside rows of shared memory: which of the two the data stage serves when.

Every second warp of an SMSP accesses global memory, the others shared memory, each a row of its own with a clock read
before it and one when all is done. Each row alone, too: the other warps then do nothing.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, clock, sm_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart
from .operations import GLOBAL

ROW = 24
START = 8  # record: the row begins; behind each of its instructions the clock is read, too
DONE = START + 1 + ROW  # record: all is done
OTHER, LANE, WAYS = 1, 56, 57  # predicate: this warp accesses shared memory; registers: its lane, its shared address
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
ACCESSES = {
    "LDG.32": ("LDG.32", 5, 0, 4),
    "LDG.128": ("LDG.128", 5, 0, 16),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128, 4),
    "LDG.32 of 32 lines": ("LDG.32", 0, 128, 0),
    "LDG.32 132 bytes apart": ("LDG.32", 0, 132, 0),
    "LDG.32 144 bytes apart": ("LDG.32", 0, 144, 0),
    "STG.32": ("STG.32", 5, 0, 4),
    "STG.32 of 8 lines": ("STG.32", 2, 128, 4),
    "STG.32 144 bytes apart": ("STG.32", 0, 144, 0),
    "REDG.ADD 144 bytes apart": ("REDG.ADD", 0, 144, 0),
}
# label -> operation, bytes between lanes
ROWS = {
    "LDS.32": ("LDS.32", 4),
    "LDS.32 2-way": ("LDS.32", 8),
    "LDS.32 8-way": ("LDS.32", 32),
    "LDS.32 32-way": ("LDS.32", 128),
    "STS.32 8-way": ("STS.32", 32),
    "ATOMS.ADD 8-way": ("ATOMS.ADD", 32),
    "SHFL.BFLY": ("SHFL.BFLY", 0),
}
LAUNCHES = (
    Launch("2 SMSPs", 192, 1 | 1 << 5, shared=16384),
    Launch("one SMSP", 160, 1 | 1 << 4, shared=16384),
    *(sm_warps(n, shared=16384) for n in (2, 4, 8)),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for misses in (False, True):
        for access in ACCESSES:
            if access.startswith("LDG") or not misses:
                for row in ("", *ROWS):
                    yield _beside(access, row, misses)
    for row in ROWS:
        yield _beside("", row, False)


def _beside(access: str, row: str, misses: bool) -> Experiment:
    one = [_access(access, APART * (1 + i) if misses else 0) for i in range(ROW)] if access else []
    other = [_shared(row, i) for i in range(ROW)] if row else []
    region = [
        *(EMPTY_L1 if misses else ()),
        clock(START, stall=4),
        op("BRA", "other", guard=OTHER, stall=5),
        *_timed(one),
        op("BRA", "join", stall=5),
        op("NOP", label="other"),
        *_timed(other),
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
    ]
    _, group, stride, inner = ACCESSES[access] if access else ("", 0, 0, 0)
    name = f"{access or 'nothing'}{' that misses' if misses else ''}, {row or 'nothing'}"
    return Experiment(
        f"together/{name}",
        region,
        (START, DONE),
        [*lanes_apart(stride, group, inner, 8192), *_roles(ROWS[row][1] if row else 0)],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _timed(row: Sequence[Instruction]) -> Iterator[Instruction]:
    for i, instruction in enumerate(row):
        yield instruction
        yield clock(START + 1 + i, stall=1)
    yield from (clock(START + 1 + i, stall=2) for i in range(len(row), ROW))
    yield clock(DONE, stall=4, wait=1)


def _access(name: str, offset: int) -> Instruction:
    operation = ACCESSES[name][0]
    if operation.startswith("LDG"):
        return op(operation, 44, 4, GLOBAL, offset, write=0, stall=2)
    return op(operation, 4, GLOBAL, offset, 40, read=0, stall=2)


def _shared(name: str, i: int) -> Instruction:
    operation = ROWS[name][0]
    if operation.startswith("LDS"):
        return op(operation, 34 + i % 4, WAYS, write=0, stall=2)
    if operation.startswith("STS"):
        return op(operation, WAYS, 0, 40, read=0, stall=2)
    if operation.startswith("ATOMS"):
        return op(operation, 34 + i % 4, WAYS, 0, 40, write=0, stall=2)
    return op(operation, 34 + i % 4, 40, write=0, stall=2)


def _roles(apart: int) -> list[Instruction]:
    """The shared address of every lane, and which warps use it: every second one of an SMSP."""
    return [
        op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE),
        op("IMAD.IMM", WAYS, LANE, apart, RZ, stall=SAFE),
        op("SHF.R.IMM", LANE, RZ, 7, 0, stall=SAFE),
        op("LOP3.IMM", LANE, LANE, 1, RZ, stall=SAFE),
        op("ISETP", OTHER, LANE, RZ, stall=SAFE),
    ]
