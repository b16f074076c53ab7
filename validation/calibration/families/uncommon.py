"""What generated programs hold and other families leave out: which pipe, uniform sources of the XU, late operands.

Rows of an operation in turn with one of each pipe; instructions of the XU by where their source is; IMAD.HI and
IMAD.WIDE by how late the upper half of their third source comes.
"""

from collections.abc import Iterator
from itertools import product

from ..program import SAFE, Experiment, clock, constant, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import OPERATIONS, Builder, result, setup
from .stopwatch import timed

COUNTS = (32, 96)
START, END = 8, 9
_A, _B = 40, 41
_PARTNERS = ("FFMA", "IMAD", "IADD3", "HFMA2", "DADD")
ROWS: dict[str, Builder] = {
    "HADD2.F32": lambda i: op("HADD2.F32", result(i), _A),
    "HMNMX2": lambda i: op("HMNMX2", result(i), _A, _B),
    "IDP.4A": lambda i: op("IDP.4A", result(i), _A, _B, _A),
    "VIADDMNMX.U32": lambda i: op("VIADDMNMX.U32", result(i), _A, _B, _A),
    "FSEL": OPERATIONS["FSEL"],
}
# A pair of the XU's, the first from a register or not, then the second; behind so many cycles a reader of the last.
_ON_XU = {
    "MUFU": lambda d: op("MUFU.RCP", d, _A),
    "MUFU.UR": lambda d: op("MUFU.UR", d, 8),
    "FRND": lambda d: op("FRND", d, _A),
    "FRND.UR": lambda d: op("FRND.UR", d, 8),
}
DISTANCES = (1, 2, 3, 4, 6, 8, 9, 12)
_WIDE = {
    "IMAD.HI": lambda: op("IMAD.HI", 20, _A, _B, 24),
    "IMAD.WIDE.U32": lambda: op("IMAD.WIDE.U32", 20, _A, _B, 24),
}
_WRITERS: dict[str, Builder] = {
    "IMAD": lambda d: op("IMAD", d, RZ, RZ, 44),
    "FADD": lambda d: op("FADD", d, 44, 45),
    "MOV": lambda d: op("MOV", d, 44),
    "IADD3": lambda d: op("IADD3", d, 44, 46, RZ),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, partner in product(ROWS, _PARTNERS):
        for count in COUNTS:
            yield _row(name, partner, count)
    for first, second in product(_ON_XU, _ON_XU):
        yield _pairs(first, second)
    yield _single()
    for wide, writer in product(_WIDE, _WRITERS):
        for half, other in product((24, 25), ("", *_WRITERS)):
            yield _late(wide, writer, half, other)


def _row(name: str, partner: str, count: int) -> Experiment:
    builders = (ROWS[name], OPERATIONS[partner])
    region = [clock(START, stall=4)]
    region += [builders[i % 2](i // 2) for i in range(count)]
    region += [clock(END, stall=SAFE)]
    launches = tuple(smsp_warps(warps, shared=16384) for warps in (1, 2, 4))
    return Experiment(
        f"uncommon/{name}+{partner}/{count}", region, [START, END], setup(), launches, sync=True, meta={"count": count}
    )


def _watched(name: str, pieces: list[list[Instruction]]) -> Experiment:
    preparing = [*setup(), *(constant(register, 0x3F800000 + 77777 * register) for register in range(42, 48))]
    return timed(name, pieces, preparing)


def _single() -> Experiment:
    """Each alone, then a reader that waits for its result."""
    pieces = [[_ON_XU[name](20).having(write=0, stall=2), op("NOP", wait=1)] for name in _ON_XU]
    pieces += [[_ON_XU[name](20).having(write=0, stall=2), op("MOV", 21, 20, wait=1)] for name in _ON_XU]
    return _watched("uncommon/XU alone", pieces)


def _pairs(first: str, second: str) -> Experiment:
    """Two of the XU's, by the cycles between them; the clock behind them waits for both."""
    pieces = []
    for distance in DISTANCES:
        row = [_ON_XU[first](20).having(write=0, stall=distance), _ON_XU[second](22).having(write=1, stall=2)]
        pieces.append([*row, op("NOP", wait=1, stall=1), op("NOP", wait=3, stall=1)])
        pieces.append([*row, op("NOP", wait=1, stall=1)])
    return _watched(f"uncommon/{first}, {second}", pieces)


def _late(wide: str, writer: str, half: int, other: str) -> Experiment:
    """A writer of a half of C, so many cycles before the instruction; its other half 2 cycles before that, if at all.

    A row of FFMA follows, so that what the dispatcher lost shows.
    """
    pieces = []
    for distance in range(1, 13):
        before = [_WRITERS[other](49 - half).having(stall=2)] if other else []
        row = [_WRITERS[writer](half).having(stall=distance), _WIDE[wide](), *[OPERATIONS["FFMA"](i) for i in range(6)]]
        pieces.append([*before, *row, op("NOP")])
    return _watched(f"uncommon/{wide}, R{half} by {writer}" + (f", R{49 - half} by {other}" if other else ""), pieces)
