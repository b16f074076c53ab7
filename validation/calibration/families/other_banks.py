"""Loads of many lines so many cycles behind a lone store of many, in the same banks and in others.

The loads' words lie in the lines that are stored or in others; L1 holds all of them.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import lanes_apart
from .delayed import HELD, Access, load_behind
from .operations import GLOBAL

# bytes between lanes, by lines
STRIDES = {"8 lines": 32, "16 lines": 64, "32 lines": 128}
MANY = "32 lines"
ALL_BANKS = "32 lines in all banks"
STORES = STRIDES | {ALL_BANKS: 132}
# cycles from a store to the load
LATER = (0, 4, 9, 16, 25, 32, 48, 64, 96)
TO_MANY = (*LATER[:-1], *range(65, 84), 96)
TO_ALL_BANKS = (*range(24), *LATER[4:])
# bytes from what is stored to what is loaded
BEHIND = {"the same banks": HELD, "other banks": HELD + 4, "other banks of the lines": 4}
OTHER = "other banks"
FURTHER = 1 << 15  # bytes from the second load to the first one
_ADDRESS, _FIRST, _SECOND = 58, 28, 24


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for lines, stride in STRIDES.items():
        yield load_behind(f"other_banks/nothing, {lines}", Access((), lanes_apart(stride)), _load(lines, HELD), 0)
        for stored in STORES:
            for banks in BEHIND if stored in STRIDES else (OTHER,):
                for later in {MANY: TO_MANY, ALL_BANKS: TO_ALL_BANKS}.get(stored, LATER):
                    name = f"other_banks/{stored} stored, {later} cycles, {lines} in {banks}"
                    yield load_behind(name, _store(stored), _load(lines, BEHIND[banks]), later)
        for then in STRIDES:
            yield load_behind(f"other_banks/{MANY} stored, {lines}, then {then}", _store(MANY), _two(lines, then), 0)


def _store(lines: str) -> Access:
    return Access((op("STG.32", 4, GLOBAL, 0, 40, read=0, stall=2),), lanes_apart(STORES[lines]))


def _load(lines: str, behind: int) -> Access:
    return Access((_asking(_SECOND, _ADDRESS, behind, write=1),), lanes_apart(STRIDES[lines]))


def _two(first: str, second: str) -> Access:
    """Two loads, of which the second one is waited for."""
    load = _load(second, BEHIND[OTHER])
    before = _asking(_FIRST, _ADDRESS - 2, BEHIND[OTHER] + FURTHER, write=2)
    copied = [op("MOV", _ADDRESS - 2 + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    return replace(
        load, instructions=(before, *load.instructions), placed=[*lanes_apart(STRIDES[first]), *copied, *load.placed]
    )


def _asking(register: int, address: int, behind: int, write: int) -> Instruction:
    return op("LDG.32", register, 4, address, behind, write=write, stall=2)
