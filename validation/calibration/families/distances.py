"""Loads of lines that lie anywhere in 4 MB, or side by side, and miss L1 but hit L2: how far L2's parts are.

Single lines and gathers of 2 to 32 lines, by one SM and by all of them at once.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..program import SAFE, Experiment, Launch, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1
from .chip import full
from .operations import GLOBAL, setup

GATHERS = 8  # that a program times
LINES = (1, 2, 4, 8, 16, 32)  # of a gather
SINGLE_LINES = 32  # that a program of single lines times
_PROGRAMS = 6  # of single lines
_FIRST = 64
_AREA = 1 << 22
_HASH = 0x9E3779B1
ONE, ALL = smsp_warps(1), full(threads=32)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first in range(_PROGRAMS):
        places = range(first * SINGLE_LINES, (first + 1) * SINGLE_LINES)
        yield _loads(f"single lines from {first * SINGLE_LINES}, all SMs", _anywhere(1), places, "scan", ALL)
    for lines in LINES:
        for label, prepare in (("anywhere", _anywhere(lines)), ("side by side", _side_by_side(lines))):
            yield _loads(f"{lines} lines {label}", prepare, range(GATHERS), "timeline", ONE)
            yield _loads(f"{lines} lines {label}, all SMs", prepare, range(GATHERS), "scan", ALL)


def _loads(name: str, prepare: list[Instruction], places: range, kind: str, launch: Launch) -> Experiment:
    return replace(loads_at(f"distances/{name}", "LDG.32", prepare, places), launches=(launch,), kind=kind)


def loads_at(name: str, operation: str, prepare: list[Instruction], places: range) -> Experiment:
    """A lone warp's loads at one place after the other, each between two clock reads."""
    region: list[Instruction] = []
    for i, place in enumerate(places):
        load = op(operation, 24, 4, GLOBAL, place * _HASH % _AREA // 128 * 128, write=0, stall=2)
        region += [clock(_FIRST + 2 * i, stall=4), load, clock(_FIRST + 2 * i + 1, stall=4, wait=1)]
    return Experiment(
        name,
        [*EMPTY_L1, *region],
        range(_FIRST, _FIRST + 2 * len(places)),
        prepare,
        (ONE,),
        registers=160,
        iterations=3,
        kind="timeline",
        meta={"lead": 4},
    )


def _group(lines: int) -> list[Instruction]:
    """The number of the line that a lane takes, in register 53."""
    shift = (32 // lines).bit_length() - 1
    return [
        *setup(lane_stride=0),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, shift, 53, stall=SAFE),
    ]


def _anywhere(lines: int) -> list[Instruction]:
    """Instructions that set the address of each lane in ``GLOBAL``: so many lines, hashed over the area."""
    return [*_group(lines), *hashed()]


def hashed() -> list[Instruction]:
    """Instructions that add to ``GLOBAL`` the place of a line somewhere in the area, by its number in register 53."""
    return [
        op("IMAD.IMM", 53, 53, 0x1E3779B1, RZ, stall=SAFE),
        op("IADD3.IMM", 53, 53, 0x3C6EF372, RZ, stall=SAFE),
        op("IMAD", 53, 53, 53, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, 10, 53, stall=SAFE),
        op("LOP3.IMM", 53, 53, _AREA - 128, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 1, GLOBAL, stall=SAFE),
    ]


def _side_by_side(lines: int) -> list[Instruction]:
    """Instructions that set the address of each lane in ``GLOBAL``: so many neighbouring lines."""
    return [*_group(lines), op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 128, GLOBAL, stall=SAFE)]
