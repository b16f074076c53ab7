"""IMAD.WIDE and IMAD.HI near instructions of the FP64 unit: `wide_beside_fp64`."""

import pytest

from tests.validation.microbenchmarks import errors_in_turn
from validation.calibration.families.wide_beside_fp64 import FP64, ORDERS, WIDE, Piece, pieces
from validation.calibration.recordings import H200

# Of three in a row the last one waits on the GPU, two cycles behind a result of the FP64 unit and one behind a DSETP.
NOT_MODELLED = Piece(distance=1, third="IMAD.WIDE", further=1)
LOST = {"DADD": 2, "DFMA": 2, "DSETP": 1}


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_rows_take_as_long(first: str, second: str) -> None:
    off = errors_in_turn(f"wide_beside_fp64/{first}, {second}", H200)
    wrong = {piece: cycles for piece, cycles in zip(pieces(), off, strict=True) if cycles != 0}
    assert wrong == ({NOT_MODELLED: LOST[second]} if first in WIDE and second in FP64 else {})
