"""IMAD.WIDE and IMAD.HI behind what writes A and the halves of C: `halves`."""

from itertools import product

import pytest

from tests.validation.microbenchmarks import errors_in_turn
from validation.calibration.families.halves import READERS, WRITERS, Piece, pieces
from validation.calibration.recordings import H200

LATENCIES = {"IMAD": 4, "IADD3": 5}  # to A and to C of IMAD.WIDE and IMAD.HI


@pytest.mark.parametrize(("reader", "for_a", "for_c"), list(product(READERS, WRITERS, WRITERS)))
def test_each_waits_as_long(reader: str, for_a: str, for_c: str) -> None:
    off = errors_in_turn(f"halves/{reader}, A {for_a}, C {for_c}", H200)
    timed = [(piece, cycles) for piece, cycles in zip(pieces(), off, strict=True) if is_in_time(piece, for_a, for_c)]
    assert len(timed) > len(off) // 2
    assert [piece for piece, cycles in timed if cycles != 0] == []


def is_in_time(piece: Piece, for_a: str, for_c: str) -> bool:
    """Whether both results are there for the reader: what reads earlier than the latencies allow is not compiled so.

    It is the later one that might not be; where A comes between the halves of C, that is the upper half.
    """
    c_is_later = piece.lead > 0 or (piece.half == "both" and piece.lead == -1)
    return piece.distance >= LATENCIES[for_c if c_is_later else for_a]
