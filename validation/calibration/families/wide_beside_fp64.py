"""IMAD.WIDE or IMAD.HI near one of the FP64 unit, and a third instruction behind both, by a lone warp.

`wide_beside_fp64/FIRST, SECOND`: pieces, as `pieces()` lists them.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .operations import OPERATIONS, setup
from .stopwatch import timed_in_turn

WIDE = ("IMAD.WIDE", "IMAD.HI")
FP64 = ("DADD", "DFMA", "DSETP")
ORDERS = (*product(WIDE, FP64), *product(FP64, WIDE))
THIRD = ("IADD3", "FFMA", "IMAD.WIDE", "DADD")
DISTANCES = range(1, 9)
FURTHER = range(1, 4)


class Piece(NamedTuple):
    """Two instructions, and perhaps a third.

    Attributes:
        distance: cycles from the first to the second.
        third: what comes behind, if anything.
        further: cycles from the second to the third.
    """

    distance: int
    third: str | None
    further: int


def pieces() -> list[Piece]:
    """Return what each program times, in turn."""
    return [
        Piece(distance, third, further)
        for distance in DISTANCES
        for third, further in [(None, 1), *product(THIRD, FURTHER)]
    ]


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, second in ORDERS:
        rows = [_row(first, second, piece) for piece in pieces()]
        yield from timed_in_turn(f"wide_beside_fp64/{first}, {second}", rows, setup())


def _row(first: str, second: str, piece: Piece) -> list[Instruction]:
    row = [OPERATIONS[first](0).having(stall=piece.distance), OPERATIONS[second](1).having(stall=piece.further)]
    if piece.third:
        row.append(OPERATIONS[piece.third](2).having(stall=1))
    return [*row, op("NOP", stall=SAFE), op("NOP", stall=SAFE)]
