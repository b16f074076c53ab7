"""The XU and the uniform datapath beside the dispatcher: who waits for what goes before, and who goes past it.

`alongside/behind *`: an instruction for the XU behind one that waits at the dispatcher, until it has read or has its
result; `alongside/queued *`: one for another queue. `alongside/ports *`: FADDs while the XU reads its source, by banks.
`alongside/off *`: an instruction for the XU whose guard is false, and others beside it. `alongside/uniform *`: rows of
two instructions of the uniform datapath.
"""

from collections.abc import Iterator
from itertools import product

from ..program import DATA, SAFE, Experiment
from ..sass import PT, RZ, Instruction, op
from .operations import OPERATIONS, SHARED, setup
from .stopwatch import timed_in_turn

NOT = 1  # a predicate that is false
_PER_PROGRAM = 48
XU = {
    "MUFU.RCP": op("MUFU.RCP", 24, 40),
    "F2F.F32.F64": op("F2F.F32.F64", 25, 40),
    "I2F.F64": op("I2F.F64", 30, 41),
}
QUEUED = {
    "LDS": op("LDS.32", 24, SHARED),
    "LDC": op("LDC", 24, DATA),
    "S2R": op("S2R.TID", 24),
    "SHFL": op("SHFL.BFLY", 24, 40),
}
ON_XU = {**XU, "MUFU.RCP odd": op("MUFU.RCP", 24, 41), "F2I.F64": op("F2I.F64", 25, 40)}
_WIDE = op("IMAD.WIDE", 28, 41, 43, 44)
_HIGH = op("IMAD.HI", 28, 41, 43, 44)
_THREE = op("FFMA", 32, 40, 42, 44)
WAITING: dict[str, list[Instruction]] = {
    "IMAD.WIDE": [_WIDE],
    "IMAD.HI": [_HIGH],
    **{f"IADD3 {d} IMAD.WIDE": [op("IADD3", 41, 41, 45, RZ, stall=d), _WIDE] for d in range(3, 8)},
    **{f"IADD3 {d} IMAD.HI": [op("IADD3", 41, 41, 45, RZ, stall=d), _HIGH] for d in (4, 5)},
    "FFMA": [_THREE],
    "FFMA FFMA": [_THREE, _THREE],
    "FFMA FFMA FFMA": [_THREE, _THREE, _THREE],
    **{f"DADD {d} FADD": [op("DADD", 28, 42, 44, stall=d), op("FADD", 32, 41, 43)] for d in range(1, 5)},
}
FADDS = {
    "even": op("FADD", 32, 42, 44),
    "odd": op("FADD", 32, 41, 43),
    "both": op("FADD", 32, 42, 43),
}
UNIFORM = {
    **{name: OPERATIONS[name](0) for name in ("UIADD3", "ULOP3", "USHF", "UIMAD", "USEL", "UISETP")},
    **{name: OPERATIONS[name](1) for name in ("UMOV", "ULDC", "ULDC.64", "R2UR")},
    "UMOV.IMM": op("UMOV.IMM", 17, 3),
    "VOTEU.ANY": op("VOTEU.ANY", 17, PT),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, xu in XU.items():
        yield from _timed(f"behind {name}", list(_behind(xu)))
    for name, queued in QUEUED.items():
        yield from _timed(f"queued {name}", list(_queued(queued)))
    for name, xu in ON_XU.items():
        yield from _timed(f"ports {name}", list(_ports(xu)))
        yield from _timed(f"off {name}", list(_off(xu)))
    yield from _timed("uniform", list(_uniform()))


def _behind(xu: Instruction) -> Iterator[list[Instruction]]:
    """One that waits, some cycles behind it the XU's; the XU idle, or busy with another one that went before."""
    busy: tuple[list[Instruction], ...] = ([], [op("MUFU.RCP", 26, 47, stall=2)], [op("MUFU.RCP", 26, 47, stall=5)])
    awaited = ({"read": 0}, {"write": 0})
    for before, waiting, distance, barrier in product(busy, WAITING.values(), (1, 2, 3), awaited):
        between = [op("NOP")] * (distance - 1)
        yield [*before, *waiting, *between, xu.having(stall=2, **barrier), op("NOP", wait=1)]


def _queued(queued: Instruction) -> Iterator[list[Instruction]]:
    """One that waits, some cycles behind it one for another queue, until it has its result."""
    for waiting, distance in product(WAITING.values(), (1, 2, 3)):
        between = [op("NOP")] * (distance - 1)
        yield [*waiting, *between, queued.having(stall=2, write=0), op("NOP", wait=1)]


def _ports(xu: Instruction) -> Iterator[list[Instruction]]:
    """Behind it, on the idle XU or behind another one of its, a row of FADDs of two registers."""
    for before, fadd, distance in product(([], [op("MUFU.RCP", 26, 47)]), FADDS.values(), range(1, 10)):
        yield [*before, xu.having(stall=distance), *[fadd] * 5, op("NOP")]


def _off(xu: Instruction) -> Iterator[list[Instruction]]:
    """It alone; another one of the XU behind or before it; one behind it, and FADDs as that one's result comes."""
    off = xu.having(guard=NOT)
    end = op("NOP", wait=1)
    other = op("MUFU.RCP", 26, 47)
    yield [off.having(write=0, stall=2), end]
    yield [off.having(read=0, stall=2), end]
    for distance in (1, 2, 4, 6, 7, 8, 9, 10):
        yield [off.having(stall=distance), other.having(write=0, stall=2), end]
        yield [off.having(stall=distance), other.having(read=0, stall=2), end]
        yield [other.having(stall=distance), off.having(write=0, stall=2), end]
        yield [other.having(stall=distance), off.having(read=0, stall=2), end]
    for distance in range(1, 16):
        fadds, pause = [FADDS["both"], op("FADD", 33, 42, 43)], op("NOP", stall=distance)
        yield [off, other.having(write=0), pause, *fadds, end]
        yield [off, pause, *[FADDS["both"]] * 5, op("NOP")]


def _uniform() -> Iterator[list[Instruction]]:
    """Two in turn, each right behind the other, or the first a cycle later."""
    for first, second, stall in product(UNIFORM.values(), UNIFORM.values(), (1, 2)):
        yield [first, second.having(stall=stall)] * 4 + [op("NOP")]


def _timed(name: str, pieces: list[list[Instruction]]) -> Iterator[Experiment]:
    prepare = [*setup(), op("ISETP", NOT, RZ, RZ, stall=SAFE)]
    return timed_in_turn(f"alongside/{name}", pieces, prepare, per_program=_PER_PROGRAM)
