"""Gathers of 32, 64 and 128 bits a lane by a lone warp, of lines anywhere in 4 MB that miss L1 but hit L2.

Neighbouring lanes share a line, or each group of lanes that a wide load is served by has words in every line; the words
are in one bank of each line, or in banks of their own.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import RZ, Instruction, op
from .distances import hashed, loads_at
from .operations import GLOBAL, setup

GATHERS = 24  # that a program times
WIDTHS = {"LDG.32": 4, "LDG.64": 8, "LDG.128": 16}  # operation -> bytes of a lane
LINES = (1, 2, 4, 8, 16, 32)
SHARED = (2, 4, 8, 16)  # lines that several groups of lanes share
_LANE, _LINE = 54, 53  # registers


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for operation, width in WIDTHS.items():
        for lines in LINES:
            neighbours = op("SHF.R.IMM", _LINE, RZ, (32 // lines).bit_length() - 1, _LANE, stall=SAFE)
            yield from _by_bank(operation, f"{lines} lines", neighbours, width)
        for lines in SHARED:
            in_turn = op("LOP3.IMM", _LINE, _LANE, lines - 1, RZ, stall=SAFE)
            yield from _by_bank(operation, f"{lines} lines in turn", in_turn, width)


def _by_bank(operation: str, lines: str, line: Instruction, width: int) -> Iterator[Experiment]:
    """The gather whose lanes' lines an instruction numbers, of words in one bank and in banks of their own."""
    prepare = [*setup(lane_stride=0), op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE), line, *hashed()]
    apart = [
        op("LOP3.IMM", _LANE, _LANE, 128 // width - 1, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _LANE, width, GLOBAL, stall=SAFE),
    ]
    for banks, words in (("one bank", []), ("banks of their own", apart)):
        name = f"gathers/{operation} of {lines}, {banks}"
        yield loads_at(name, operation, [*prepare, *words], range(GATHERS))
