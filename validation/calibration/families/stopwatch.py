"""Times inside a program: the cycles that a piece of code takes, as one register."""

from collections.abc import Iterable

from ..program import SAFE, clock
from ..sass import Instruction, op

RESULTS = range(64, 128)  # for programs of 128 registers: `setup` leaves these alone
REGISTERS = 128
LEAD = 4  # cycles between the first clock read and the piece
_START, _END = 60, 61


def stopwatch(register: int, piece: list[Instruction], *, wait: int = 0, lead: int = LEAD) -> list[Instruction]:
    """Set a register to the cycles from `lead` before the piece's first issue to the issue behind the piece.

    Args:
        register: where the cycles go.
        piece: what is timed.
        wait: barriers that the second clock read waits for.
        lead: stall count of the first clock read; it is part of the time.
    """
    return [
        op("NOP", stall=SAFE, wait=0x3F),
        clock(_START, stall=lead),
        *piece,
        clock(_END, stall=SAFE, wait=wait),
        op("IMAD.IMM", register, _START, -1, _END, stall=SAFE),
    ]


def stopwatches(pieces: Iterable[list[Instruction]]) -> list[Instruction]:
    """Set the result registers in turn to the cycles of each piece, between which the XU's queue runs empty."""
    region: list[Instruction] = []
    for register, piece in zip(RESULTS, pieces, strict=False):
        region += stopwatch(register, piece)
        region += [op("MUFU.RCP", 32, 40, write=1, stall=2), op("NOP", wait=2, stall=15)]
    return region
