"""IMAD.WIDE and IMAD.HI behind what writes A and one half of C, or both: what they wait for, by a lone warp.

`halves/READER, A WRITER, C WRITER`: pieces, as `pieces()` lists them.
"""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .operations import setup
from .stopwatch import timed_in_turn

READERS = ("IMAD.WIDE", "IMAD.HI")
WRITERS = ("IMAD", "IADD3")
HALVES = ("lower", "upper", "both")
BANKS = ("even", "odd")
LEADS = (-3, -2, -1, 1, 2, 3)  # cycles from A's writer to that of C
DISTANCES = range(4, 9)  # cycles from the later of them to the reader
_A = {"even": 36, "odd": 37}
_C = {"lower": (38,), "upper": (39,), "both": (38, 39)}


class Piece(NamedTuple):
    """A reader behind its writers.

    Attributes:
        half: which of C's registers have just been written.
        bank: that of A.
        lead: cycles from A's writer to C's first one.
        distance: cycles from the later of them to the reader.
    """

    half: str
    bank: str
    lead: int
    distance: int


def pieces() -> list[Piece]:
    """Return what each program times, in turn."""
    return [Piece(*each) for each in product(HALVES, BANKS, LEADS, DISTANCES)]


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for reader, for_a, for_c in product(READERS, WRITERS, WRITERS):
        rows = [_behind_writers(reader, for_a, for_c, piece) for piece in pieces()]
        yield from timed_in_turn(f"halves/{reader}, A {for_a}, C {for_c}", rows, setup())


def _behind_writers(reader: str, for_a: str, for_c: str, piece: Piece) -> list[Instruction]:
    starts = {0: op(for_a, _A[piece.bank], 40, 41, 42)}
    first = piece.lead
    for i, register in enumerate(_C[piece.half]):
        at = first + i
        while at in starts:
            at += 1
        starts[at] = op(for_c, register, 40, 41, 42)
    starts[max(starts) + piece.distance] = op(reader, 24, _A[piece.bank], 41, 38)
    times = sorted(starts)
    row = [starts[at].having(stall=following - at) for at, following in pairwise(times)]
    return [*row, starts[times[-1]].having(stall=SAFE), op("NOP", stall=SAFE)]
