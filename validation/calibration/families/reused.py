"""Operands marked for reuse that were forwarded to the instruction that marks them: must they be read again?

Pieces between two clock reads: a writer of R40, so many cycles later a reader of it in slot A that marks it for reuse
or not, some instructions of the other bank, a second reader of it there and two more of R42 in slot B (the first one
may mark that, too), and what keeps the even bank's port busy behind it.
"""

from collections.abc import Iterator
from itertools import product

from ..program import Experiment
from ..sass import Instruction, op
from .operations import setup
from .stopwatch import timed_in_turn

WRITERS = {"FFMA": 5, "IADD3": 5, "HFMA2": 5, "DADD": 8}  # the least distance for all readers
DISTANCES = range(8)  # cycles more from the writer to its reader
READERS = tuple((first, second) for first in ("FFMA", "IADD3") for second in ("FFMA", "IADD3"))
BETWEEN = (0, 1, 2)  # instructions between the two readers
MARKS = (0, 1, 3)  # slots that the first reader marks, bit mask


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    cases = list(product(WRITERS, READERS, BETWEEN, MARKS, DISTANCES))
    titles = {"pieces": [title(*case) for case in cases]}
    return timed_in_turn("reused/pieces", [_piece(*case) for case in cases], setup(), titles=titles)


def title(writer: str, readers: tuple[str, str], between: int, marks: int, more: int) -> str:
    """What a piece is called."""
    return f"{writer} {WRITERS[writer] + more} cycles before {readers[0]} reuse {marks}, {between} more, {readers[1]}"


def _piece(writer: str, readers: tuple[str, str], between: int, marks: int, more: int) -> list[Instruction]:
    distance = WRITERS[writer] + more
    rest = [op("FMUL", 30 + i, 43, 45) for i in range(between)]
    return [
        op(writer, 40, 45, 47, 45, stall=distance) if writer != "DADD" else op("DADD", 40, 44, 44, stall=distance),
        op(readers[0], 24, 40, 42 if marks == 3 else 41, 43, reuse=marks, stall=2 if readers[0] == "IADD3" else 1),
        *rest,
        op(readers[1], 25, 40, 42, 44),
        op("FFMA", 26, 46, 44, 42),
        op("FFMA", 27, 44, 46, 43),
        op("FFMA", 28, 46, 42, 45),
    ]
