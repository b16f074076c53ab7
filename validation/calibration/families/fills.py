"""Loads that miss L1: when each one's data are there, and what other warps do with the data stage meanwhile.

`fills/returns`: a clock read behind each load's barrier. The rest: even warps load, odd ones execute a row with a clock
read behind every instruction; those that load read all their clocks when their data are there.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, sm_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart
from .operations import GLOBAL, OPERATIONS, SHARED

EIGHT_WAY, PARITY = 55, 56
_SHARED = {"shared": 16384}
_LOADS, _ROW = 48, 60
_START = 8  # records of returns: the row begins; one behind each load's barrier follows
_FIRST = 64  # record: the row begins; one behind each of its instructions follows
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
PATTERNS = {
    "LDG.32": ("LDG.32", 5, 0, 4),
    "LDG.64": ("LDG.64", 5, 0, 8),
    "LDG.128": ("LDG.128", 5, 0, 16),
    "LDG.32 of a sector": ("LDG.32", 5, 0, 0),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128, 4),
    "LDG.32 of 32 lines": ("LDG.32", 0, 128, 0),
    "LDG.32 132 bytes apart": ("LDG.32", 0, 132, 0),
    "LDG.64 136 bytes apart": ("LDG.64", 0, 136, 0),
    "LDG.32 8 bytes apart": ("LDG.32", 0, 8, 0),
    "LDG.32 32 bytes apart": ("LDG.32", 0, 32, 0),
}
ROWS = {
    "LDS.32": op("LDS.32", 24, SHARED, write=5, stall=1),
    "LDS.32 8-way": op("LDS.32", 24, EIGHT_WAY, write=5, stall=1),
    "LDG.32 held": op("LDG.32", 24, 4, GLOBAL, write=5, stall=1),
    "SHFL.BFLY": OPERATIONS["SHFL.BFLY"](0).having(write=5, stall=1),
}
LAUNCHES = (Launch("2 SMSPs", 64, 3, shared=16384), *(sm_warps(n, **_SHARED) for n in (1, 2, 4)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for label in PATTERNS:
        for count in (1, 2, 3, 5):
            yield _returns(label, count)
    for row, instruction in ROWS.items():
        for label, (name, group, stride, inner) in PATTERNS.items():
            load = OPERATIONS[name](0)
            loads = [
                load.having(operands={**load.operands, "off": APART * (1 + i)}, write=0, stall=2) for i in range(_LOADS)
            ]
            yield _parted(f"{label}, {row}", loads, instruction, lanes_apart(stride, group, inner))
        twice = [op("LDG.32", 32, 4, GLOBAL, APART * (1 + i // 2), write=0, stall=2) for i in range(_LOADS)]
        yield _parted(f"LDG.32 twice, {row}", twice, instruction, lanes_apart(0, 5, 4))


def _returns(label: str, count: int) -> Experiment:
    name, group, stride, inner = PATTERNS[label]
    load = OPERATIONS[name](0)
    loads = [load.having(operands={**load.operands, "off": APART * (1 + i)}, write=i, stall=2) for i in range(count)]
    region = [
        *EMPTY_L1,
        clock(_START, stall=4),
        *loads,
        *[clock(_START + 1 + i, stall=2, wait=1 << i) for i in range(count)],
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"fills/returns of {count} {label}",
        region,
        range(_START, _START + 1 + count),
        lanes_apart(stride, group, inner),
        tuple(sm_warps(n) for n in (1, 2, 4, 8)),
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _parted(name: str, loads: list[Instruction], instruction: Instruction, prepare: list[Instruction]) -> Experiment:
    row: list[Instruction] = []
    for i in range(_ROW):
        row += [instruction, clock(_FIRST + 1 + i, stall=1)]
    region = [
        *EMPTY_L1,
        op("LDG.32", 24, 4, GLOBAL, write=5, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        op("BAR.SYNC", stall=8),
        clock(_FIRST, stall=4),
        op("BRA", "row", guard=1, stall=5),
        *loads,
        op("NOP", wait=1, stall=2),
        *[clock(_FIRST + 1 + i, stall=1) for i in range(_ROW)],
        op("BRA", "join", stall=5),
        op("NOP", label="row"),
        *row,
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
    ]
    address = [
        *prepare,
        op("LOP3.IMM", EIGHT_WAY, 0, 31, RZ, stall=SAFE),
        op("IMAD.IMM", EIGHT_WAY, EIGHT_WAY, 32, RZ, stall=SAFE),
        op("SHF.R.IMM", PARITY, RZ, 5, 0, stall=SAFE),
        op("LOP3.IMM", PARITY, PARITY, 1, RZ, stall=SAFE),
        op("ISETP", 1, PARITY, RZ, stall=SAFE),
    ]
    return Experiment(
        f"fills/{name}",
        region,
        range(_FIRST, _FIRST + 1 + _ROW),
        address,
        LAUNCHES,
        registers=128,
        iterations=2,
        sync=True,
        kind="timeline",
    )
