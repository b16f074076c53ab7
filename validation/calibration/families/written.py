"""Rows of arithmetic beside results of other warps that come back: what these take of the register file's write ports.

Warp 0 executes a row that writes to registers of one bank, a clock read behind every few instructions. Two warps of
its SMSP have loaded before what misses L1, or what takes a bank of L1 or of shared memory for 64 cycles each; behind
each of those may be an instruction whose result comes at once.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart
from .operations import GLOBAL

_FIRST, _LOADER, _WAY = 64, 1, 55
_GROUPS, _GROUP, _LOADS, _WAITED = 24, 20, 24, 14
ROWS = ("FFMA", "IMAD", "IADD3")
BANKS = {"even": 0, "odd": 1}
# label -> bytes between lanes
LOADS = {
    "none": 0,
    "LDG.32": 4,
    "LDG.64": 8,
    "LDG.128": 16,
    "LDG.32 of 32 lines held": 128,
    "LDS.32 32-way": 0,
    "LDS.128 8-way": 0,
    "SHFL.BFLY behind LDS.32 32-way": 0,
    "S2R.TID behind LDS.32 32-way": 0,
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for row in ROWS:
        for bank in BANKS:
            for loads in LOADS if row == "FFMA" else ("none", "LDG.64"):
                for to in BANKS if loads not in ("none", "LDG.64", "LDG.128", "LDS.128 8-way") else ("even",):
                    yield _beside(row, bank, loads, to)


def _beside(row: str, bank: str, loads: str, to: str) -> Experiment:
    groups: list[Instruction] = []
    for i in range(_GROUPS):
        groups += [op(row, 24 + 2 * (j % 8) + BANKS[bank], 40, 41, 40, stall=1) for j in range(_GROUP)]
        groups += [clock(_FIRST + 1 + i, stall=1)]
    loading = [one for i in range(_LOADS) for one in _load(loads, i, BANKS[to])] if loads != "none" else []
    held = [loading[0], op("NOP", wait=0x3F, stall=SAFE)] if "held" in loads else []
    region = [
        *EMPTY_L1,
        *held,
        *block_barrier("begin"),
        clock(_FIRST, stall=4),
        op("BRA", "loads", guard=_LOADER, stall=5),
        *[op("NOP", stall=SAFE)] * _WAITED,
        *groups,
        op("BRA", "join", stall=5),
        op("NOP", label="loads"),
        *loading,
        *[clock(_FIRST + 1 + i, stall=2, wait=0x3F) for i in range(_GROUPS)],
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]
    address = [
        *lanes_apart(LOADS[loads]),
        op("LOP3.IMM", _WAY, 0, 31, RZ, stall=SAFE),
        op("IMAD.IMM", _WAY, _WAY, 128, RZ, stall=SAFE),
        op("ISETP", _LOADER, 54, RZ, stall=SAFE),
    ]
    return Experiment(
        f"written/{row} to {bank} beside {loads} to {to}",
        region,
        range(_FIRST, _FIRST + 1 + _GROUPS),
        address,
        (smsp_warps(3, shared=16384),),
        registers=96,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _load(name: str, i: int, odd: int) -> list[Instruction]:
    if "LDS.128" in name:
        return [op("LDS.128", 24, _WAY, write=0, stall=2)]
    if "behind" in name:
        kind = name.split(maxsplit=1)[0]
        quick = op(kind, 26 + odd, 40) if kind == "SHFL.BFLY" else op(kind, 26 + odd)
        return [op("LDS.32", 25 - odd, _WAY, write=0, stall=2), quick.having(write=1, stall=2)]
    if "LDS" in name:
        return [op("LDS.32", 24 + odd, _WAY, write=0, stall=2)]
    if "held" in name:
        return [op("LDG.32", 24 + odd, 4, GLOBAL, write=0, stall=2)]
    register = 24 if name in ("LDG.64", "LDG.128") else 24 + odd
    return [op(name, register, 4, GLOBAL, APART * (1 + i), write=0, stall=2)]
