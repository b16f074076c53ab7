"""Loads of many pages behind stores and atomics: whether the part of L2 that is near has the line."""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import lanes_apart
from .operations import GLOBAL
from .stopwatch import REGISTERS, RESULTS, stopwatch

# Of a word of each page in turn: load (L), store (S), atomic (A), reduction (R), before each of which L1 is emptied;
# the last is timed.
SEQUENCES = ("A", "L", "L L", "L S L", "L A L", "L A L L", "L R L", "L R L L", "L S A", "S L")
PAGES, PAGE_BYTES = 48, 4096
WAITED = 30


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for sequence in SEQUENCES:
        region: list[Instruction] = []
        for page in range(PAGES):
            region += _piece(sequence, page)
        yield Experiment(
            f"homes/{sequence}",
            region,
            RESULTS[:PAGES],
            lanes_apart(128, 5),
            registers=REGISTERS,
            iterations=2,
            kind="cycles",
        )


def _piece(sequence: str, page: int) -> list[Instruction]:
    steps = {
        "L": op("LDG.32", 24, 4, GLOBAL, PAGE_BYTES * page, write=1, stall=4),
        "S": op("STG.32", 4, GLOBAL, PAGE_BYTES * page, 40, read=1, stall=4),
        "A": op("ATOMG.ADD", 24, 4, GLOBAL, PAGE_BYTES * page, 40, write=1, stall=4),
        "R": op("REDG.ADD", 4, GLOBAL, PAGE_BYTES * page, 40, read=1, stall=4),
    }
    done = op("NOP", wait=0x3F, stall=SAFE)
    emptied = [op("CCTL.IVALL", stall=SAFE), *[done] * WAITED]
    piece: list[Instruction] = []
    for step in sequence.split()[:-1]:
        piece += [*emptied, steps[step]]
    return [*piece, *emptied, *stopwatch(RESULTS[page], [steps[sequence[-1]]], wait=1 << 1), done]
