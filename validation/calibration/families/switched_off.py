"""Rows of instructions whose guard is false in every lane, by a lone warp: what they still take from those behind them.

`switched_off/NAME`: pieces, two for each of some instructions: a row of NAME and that one in turn, as fast as they can,
first as they are, then NAME with a guard that is false.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .operations import OPERATIONS, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

NAMES = (
    *("FFMA", "FADD", "FMUL", "FMNMX", "IMAD", "IMAD.HI", "IMAD.WIDE", "IMAD.MOV", "IADD3", "LOP3", "SHF", "PRMT"),
    *("LEA", "VIADD", "IABS", "I2FP", "MOV", "SEL", "ISETP", "FSETP", "HFMA2", "HFMA2.MMA", "HADD2", "F2FP"),
    *("DADD", "DMUL", "DFMA", "DSETP", "FFMA.UR", "VOTE.ANY", "POPC", "MUFU.RCP", "I2F.F64"),
)
SAME_BANK = "FFMA, one bank"
BETWEEN = ("FFMA", "IADD3", "IMAD.WIDE", "DADD")
GUARDS = (None, 4)
PAIRS = 8
_FALSE = 4  # a predicate that no lane has


def experiments() -> Iterator[Experiment]:
    """Yield a program per instruction."""
    for name in (*NAMES, SAME_BANK):
        pieces = [_row(name, other, guard) for other in BETWEEN for guard in GUARDS]
        region: list[Instruction] = []
        for register, piece in zip(RESULTS, pieces, strict=False):
            region += stopwatch(register, [*piece, op("NOP", stall=SAFE)])
        yield Experiment(
            f"switched_off/{name}",
            region,
            RESULTS[: len(pieces)],
            [*setup(), op("ISETP", _FALSE, 40, 40, stall=SAFE)],
            registers=REGISTERS,
            kind="cycles",
        )


def _row(name: str, other: str, guard: int | None) -> list[Instruction]:
    row: list[Instruction] = []
    for i in range(PAIRS):
        one = op("FFMA", 24 + i, 40, 42, 44) if name == SAME_BANK else OPERATIONS[name](2 * i)
        row += [one.having(guard=guard, stall=1), OPERATIONS[other](2 * i + 1).having(stall=1)]
    return row
