"""Shared memory, shuffles, block barriers and the ADU by one warp that is alone on its SM: pairs of instructions.

`lone/behind *`: one some cycles behind another, until it has its result; `lone/before *`: until the other one has its
own. `lone/fenced *`: a store, an atomic or a load, a block barrier, and what is behind it, until that has its result.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from ..program import DATA, SAFE, Experiment, Launch
from ..sass import RZ, Instruction, op
from .mio import DOUBLES, EIGHT_WAY, QUADS, prepare
from .operations import SHARED
from .stopwatch import timed_in_turn

_PER_PROGRAM = 48
_SHARED_BYTES = 16384
FAR_APART = 59  # shared addresses 128 bytes apart
_BAR = op("BAR.SYNC", stall=6)
# What has a result, which goes to registers 24 to 27 or UR16.
READ: dict[str, Instruction] = {
    "LDS.32": op("LDS.32", 24, SHARED),
    "LDS.64": op("LDS.64", 24, DOUBLES),
    "LDS.128": op("LDS.128", 24, QUADS),
    "LDS.32 8-way": op("LDS.32", 24, EIGHT_WAY),
    "LDS.128 far": op("LDS.128", 24, FAR_APART),
    "SHFL.BFLY": op("SHFL.BFLY", 24, 40),
    "ATOMS.ADD": op("ATOMS.ADD", 24, SHARED, 0, 40),
    "REDUX.SUM": op("REDUX.SUM", 16, 40),
    "MATCH.ANY": op("MATCH.ANY", 24, 40),
    "S2R.CTAID": op("S2R.CTAID", 24),
    "S2R.TID": op("S2R.TID", 24),
    "LDC": op("LDC", 24, DATA),
    "S2UR.CTAID": op("S2UR.CTAID", 16),
}
STORED: dict[str, Instruction] = {
    "STS.32": op("STS.32", SHARED, 0, 40),
    "STS.64": op("STS.64", DOUBLES, 0, 40),
    "STS.128": op("STS.128", QUADS, 0, 40),
    "STS.32 8-way": op("STS.32", EIGHT_WAY, 0, 40),
    "STS.64 8-way": op("STS.64", EIGHT_WAY, 0, 40),
    "STS.128 8-way": op("STS.128", EIGHT_WAY, 0, 40),
    "STS.64 far": op("STS.64", FAR_APART, 0, 40),
    "STS.128 far": op("STS.128", FAR_APART, 0, 40),
    "ATOMS.ADD RZ": op("ATOMS.ADD", RZ, SHARED, 0, 40),
    "ATOMS.ADD RZ 8-way": op("ATOMS.ADD", RZ, EIGHT_WAY, 0, 40),
}
FENCED = ("LDS.32", "LDS.64", "LDS.128", "LDS.128 far", "SHFL.BFLY", "ATOMS.ADD")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, read in READ.items():
        yield from _timed(f"behind {name}", list(_behind(read)))
        yield from _timed(f"before {name}", list(_before(read)))
    for name, stored in {**STORED, **{name: _elsewhere(READ[name]) for name in FENCED}}.items():
        yield from _timed(f"fenced {name}", list(_fenced(stored)))


def _elsewhere(read: Instruction) -> Instruction:
    """The same with other registers for its result, on a barrier of its own."""
    moved = {"d": 28, "ud": 17}
    return read.having(operands={**read.operands, **{k: v for k, v in moved.items() if k in read.operands}}, write=1)


def _behind(read: Instruction) -> Iterator[list[Instruction]]:
    """Another one, some cycles behind it this one, until that has its result."""
    others = [*(stored.having(read=1) for stored in STORED.values()), *map(_elsewhere, READ.values())]
    for other, distance in product(others, (2, 4, 8)):
        yield [other.having(stall=distance), read.having(stall=2, write=0), op("NOP", wait=1)]


def _before(read: Instruction) -> Iterator[list[Instruction]]:
    """This one, some cycles behind it another one, until this one has its result."""
    others = [*(stored.having(read=1) for stored in STORED.values()), *map(_elsewhere, READ.values())]
    for other, distance in product(others, (1, 2, 4)):
        yield [read.having(stall=distance, write=0), other.having(stall=2), op("NOP", wait=1)]


def _fenced(stored: Instruction) -> Iterator[list[Instruction]]:
    """It, a block barrier some cycles behind, and a read or two of them."""
    for name, distance in product(FENCED, (1, 4, 9, SAFE)):
        read = READ[name].having(stall=2, write=0)
        yield [stored.having(stall=distance), op("NOP"), _BAR, read, op("NOP", wait=1)]
        yield [stored.having(stall=distance), op("NOP"), _BAR, _elsewhere(read), read, op("NOP", wait=1)]


def _timed(name: str, pieces: list[list[Instruction]]) -> Iterator[Experiment]:
    addresses = [*prepare(), op("IMAD.IMM", FAR_APART, 53, 128, RZ, stall=SAFE)]
    for experiment in timed_in_turn(f"lone/{name}", pieces, addresses, per_program=_PER_PROGRAM):
        yield replace(experiment, launches=(Launch(shared=_SHARED_BYTES),))
