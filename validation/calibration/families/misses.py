"""Loads of which some lines miss L1: when each issues and is back, and when loads that hit are back beside them.

`misses/row`: a clock read behind every load of a row, then one behind each of five barriers that the loads share.
`misses/beside`: warp 0 loads what misses, other warps load what L1 holds, or shared memory, one after the other.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, sm_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, FURTHEST, from_on, lanes_apart, timed_groups
from .operations import GLOBAL, OPERATIONS, SHARED, setup

_APART = 8192  # bytes between two loads of a row
_LOADS, _LONG_ROW, _GROUPS = 20, 50, 5
_FIRST = 64  # record: the row begins
_CHAIN = 44
_HELD, _LOADER, _LANE, _OWN = 56, 1, 53, 2
MISSING = (1, 4, 16, 32)
STRIDES = {"32-way": 128, "conflict-free": 132}
# label -> operation, bytes between the lanes; those of LDG.128 make four passes
LONG_ROWS = {
    "LDG.32 of a sector": ("LDG.32", 0),
    "LDG.32.CONSTANT of a sector": ("LDG.32.CONSTANT", 0),
    "LDG.128 of a sector": ("LDG.128", 0),
    "LDG.32 of a line": ("LDG.32", 4),
    "LDG.128 of 4 lines": ("LDG.128", 16),
}
# label -> operation, log2 of the lanes in a group, bytes between groups
LOADERS = {
    "LDG.32 of 32 lines": ("LDG.32", 0, 128),
    "LDG.32 132 bytes apart": ("LDG.32", 0, 132),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128),
}
PROBES = {"LDG.32": op("LDG.32", 24, 4, _HELD, write=5, stall=2), "LDS.32": op("LDS.32", 24, SHARED, write=5, stall=2)}
_ROWS = tuple(sm_warps(n) for n in (1, 2))
# Warp 0, and one or two of each SMSP.
_BESIDE = (Launch("4", 256, 0xF1, shared=16384), Launch("8", 384, 0xFF1, shared=16384))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for label, stride in STRIDES.items():
        for missing in MISSING:
            yield _row(
                f"LDG.32 {label}, {missing} of 32 lines", "LDG.32", _LOADS, _partly_held(stride, missing), missing
            )
    for label, (name, inner) in LONG_ROWS.items():
        yield _row(label, name, _LONG_ROW, lanes_apart(0, 5, inner, 64 * _APART), 32)
    for probe, instruction in PROBES.items():
        for label, (name, group, stride) in LOADERS.items():
            for count in (1, 2, 4, 16):
                yield _beside(f"{count} {label}, {probe}", name, count, lanes_apart(stride, group, 4), instruction)


def _partly_held(stride: int, missing: int) -> list[Instruction]:
    """Lane ``l`` takes the word ``l * stride``; of the last ``missing`` lanes each warp has its own."""
    return [
        *setup(lane_stride=0),
        op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _LANE, stride, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IADD3.IMM", 54, 54, 1, RZ, stall=SAFE),
        *from_on(_OWN, 32 - missing, _LANE, _LANE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, FURTHEST, GLOBAL, guard=_OWN, stall=SAFE),
    ]


def _row(name: str, operation: str, count: int, prepare: list[Instruction], missing: int) -> Experiment:
    load = OPERATIONS[operation](0)
    group = -(-count // _GROUPS)
    loads = [
        load.having(operands={**load.operands, "off": _APART * i}, write=i // group, stall=1) for i in range(count)
    ]
    held = [one.having(guard=~_OWN, write=5) for one in loads] if missing < 32 else []
    row: list[Instruction] = []
    for i, one in enumerate(loads):
        row += [one, clock(_FIRST + 1 + i, stall=1)]
    ends = _FIRST + 1 + count
    return Experiment(
        f"misses/row of {name}",
        timed_groups(held, row, _FIRST, ends, _GROUPS),
        range(_FIRST, ends + _GROUPS),
        prepare,
        _ROWS,
        registers=136,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _beside(name: str, operation: str, count: int, prepare: list[Instruction], probe: Instruction) -> Experiment:
    load = OPERATIONS[operation](0)
    loads = [load.having(operands={**load.operands, "off": _APART * (1 + i)}, write=0, stall=2) for i in range(count)]
    chain: list[Instruction] = []
    for i in range(_CHAIN):
        chain += [probe, clock(_FIRST + 1 + i, stall=2, wait=1 << 5)]
    region = [
        *EMPTY_L1,
        op("LDG.32", 24, 4, _HELD, write=5, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        op("BAR.SYNC", stall=8),
        clock(_FIRST, stall=4),
        op("BRA", "chain", guard=_LOADER, stall=5),
        *loads,
        *[clock(_FIRST + 1 + i, stall=1) for i in range(_CHAIN - 1)],
        clock(_FIRST + _CHAIN, stall=2, wait=1),
        op("BRA", "join", stall=5),
        op("NOP", label="chain"),
        *chain,
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
    ]
    address = [
        *lanes_apart(0, 5, 4, 128)[:-1],
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, 128, GLOBAL, stall=SAFE),
        op("MOV", _HELD, GLOBAL, stall=SAFE),
        op("MOV", _HELD + 1, GLOBAL + 1, stall=SAFE),
        *prepare,
        op("SHF.R.IMM", 54, RZ, 7, 0, stall=SAFE),
        op("ISETP", _LOADER, 54, RZ, stall=SAFE),
    ]
    return Experiment(
        f"misses/{name} beside",
        region,
        range(_FIRST, _FIRST + 1 + _CHAIN),
        address,
        _BESIDE,
        registers=128,
        iterations=2,
        sync=True,
        kind="timeline",
    )
