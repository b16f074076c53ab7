"""Mixes of instructions one behind the other: who holds back whom between issue and dispatch, and for how long.

`mixes/quads from K`: all rows of four letters, stall 1 each, between two clock reads. Each letter reads one register of
each bank at most, so that the register file's ports do not bind; a small letter is an instruction whose guard is false.
`mixes/READER behind WRITER`: an instruction and, 1 to 12 cycles later, one that reads its result, with a clock read
behind it: where the reader waits by itself, it does so whatever the compiler's stall count said. `mixes/READER behind
WRITER and WRITER to R`: the same with the results of two.
"""

from collections.abc import Iterator
from itertools import product

from ..program import SAFE, Experiment
from ..sass import PT, RZ, Instruction, op
from .operations import setup
from .stopwatch import timed, timed_in_turn

LETTERS = "FAIhHDMUNWf"
DISTANCES = range(1, 13)
ALU_AND_FMA = ("IADD3", "FFMA")
GAPS, TWO_DISTANCES = range(1, 5), range(4, 10)
_FALSE = 4  # a predicate that no lane has
_READER_STALL = 5

# name -> a writer, and the register of its result that is read
WRITERS: dict[str, tuple[Instruction, int]] = {
    **{name: (op(name, 36, 40, 41, RZ), 36) for name in ("FFMA", "IMAD", "IADD3", "HFMA2", "HFMA2.MMA")},
    "DADD": (op("DADD", 36, 40, 44), 36),
    "IMAD.WIDE.lo": (op("IMAD.WIDE", 36, 40, 41, RZ), 36),
    "IMAD.WIDE.hi": (op("IMAD.WIDE", 36, 40, 41, RZ), 37),
    "MOV.UR": (op("MOV.UR", 36, 8), 36),
    "HADD2.F32": (op("HADD2.F32", 36, 40), 36),
    "HMNMX2": (op("HMNMX2", 36, 40, 41), 36),
    "VOTE.ANY": (op("VOTE.ANY", 36, PT), 36),
}
READERS = tuple(
    f"{name}.{slot}"
    for name in ("IMAD.WIDE", "IMAD.HI", "IMAD", "FFMA", "IADD3", "HFMA2", "HFMA2.MMA", "DFMA")
    for slot in "abc"
)
# What reads a pair of registers there, which begins at an even one.
PAIR_READERS = ("IMAD.WIDE.c", "IMAD.HI.c", "DFMA.a", "DFMA.b", "DFMA.c")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    quads = ["".join(letters) for letters in product(LETTERS, repeat=4)]
    of_quads = [[letter(name, i) for i, name in enumerate(quad)] for quad in quads]
    yield from timed_in_turn("mixes/quads", of_quads, _prepare(), titles={"quads": quads})
    for reader, writer in product(READERS, WRITERS):
        if WRITERS[writer][1] % 2 and reader in PAIR_READERS:
            continue
        pieces = [_pair(reader, *WRITERS[writer], distance) for distance in DISTANCES]
        yield timed(f"mixes/{reader} behind {writer}", pieces, _prepare(), {"distances": list(DISTANCES)})
    for names, other in product(product(ALU_AND_FMA, repeat=3), (37, 38)):
        pieces = [_two(names, other, gap, distance) for gap, distance in product(GAPS, TWO_DISTANCES)]
        name = "mixes/{} behind {} and {} to R{}".format(*names, other)
        yield timed(name, pieces, _prepare(), {"gaps": list(GAPS), "distances": list(TWO_DISTANCES)})


def letter(name: str, i: int) -> Instruction:
    """Return the instruction of a letter; `i` chooses its destination."""
    target = 24 + 2 * (i % 4)
    match name:
        case "F":
            return op("FFMA", target, 40, 41, RZ)
        case "f":
            return op("FFMA", target, 40, 41, RZ, guard=_FALSE)
        case "A":
            return op("IADD3", target, 40, 41, RZ)
        case "I":
            return op("IMAD", target, 40, 41, RZ)
        case "h":
            return op("HFMA2", target, 40, 41, RZ)
        case "H":
            return op("HFMA2.MMA", target, 40, 41, RZ)
        case "D":
            return op("DADD", target, 40, 44)
        case "M":
            return op("MUFU.RCP", target, 40)
        case "U":
            return op("UIADD3", 16 + i, 8, 9, 10)
        case "W":
            return op("IMAD.WIDE", target, 40, 41, RZ)
    return op("NOP")


def _pair(reader: str, writer: Instruction, register: int, distance: int) -> list[Instruction]:
    """The writer, and the reader so many cycles later: a stall count up to 8, the rest NOPs."""
    name, _, slot = reader.rpartition(".")
    stall = min(distance, 8)
    reading = op(name, 24, *(register if slot == other else RZ for other in "abc"), stall=_READER_STALL)
    return [writer.having(stall=stall), *[op("NOP")] * (distance - stall), reading]


def _two(names: tuple[str, ...], other: int, gap: int, distance: int) -> list[Instruction]:
    """Two writers, `gap` cycles apart, and `distance` cycles behind them one that reads both results."""
    reader, first, second = names
    return [
        op(first, 36, 40, 41, RZ, stall=gap),
        op(second, other, 40, 41, RZ, stall=distance),
        op(reader, 24, 36, other, RZ, stall=_READER_STALL),
    ]


def _prepare() -> list[Instruction]:
    return [*setup(), op("ISETP", _FALSE, 40, 40, stall=SAFE)]
