"""Loads and stores with cache hints: which lines of a set of L1 they keep, and which of local memory.

As in ``tags`` a probe is one load of a line, hit or miss. Between them stand stores, of which the time says nothing.
"""

from collections.abc import Iterator, Sequence
from random import Random

from ..program import SAFE, Experiment
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1_ALONE
from .l1 import probing
from .operations import GLOBAL, LOCAL
from .stopwatch import RESULTS, stopwatch
from .tags import LINE_BYTES, lines_of_set

LOAD = "LDG.32"
LOADS = tuple(f"{LOAD}.{hint}" for hint in ("EF", "EL", "LU", "EU", "NA"))
STORES = ("STG.32", *(f"STG.32.{hint}" for hint in ("EF", "EL", "EU", "NA")))
ROWS = 8  # of each kind
PROBES = 40
OTHERS = 8  # lines loaded from one probe of a line to the next: 0 to 7
WORD_BYTES = 4  # of local memory: a line has the same word of each lane
DONE_TO_WORDS = (
    *(("LDL",), ("LDL.LU",), ("LDL", "LDL"), ("LDL", "LDL.LU"), ("LDL", "LDL", "LDL.LU"), ("LDL.LU", "LDL")),
    *(("STL",), ("STL", "LDL"), ("STL", "LDL.LU"), ("STL", "LDL", "LDL.LU"), ("STL", "LDL.LU", "STL")),
)
OTHER_LINES = (0, 512, 1024, 1536, 2048, 3072)  # L1 has room for less than 2048
ALL_OTHERS = 4096
STEP = 32  # lines of a turn
COUNTER, POINTER = 60, 58  # registers


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    same = lines_of_set(16)
    for hinted in LOADS:
        for title, begins, other in (
            ("brought", [hinted], LOAD),
            ("found", [LOAD, hinted], LOAD),
            ("found again", [LOAD, LOAD, hinted], LOAD),
            ("brings others", [LOAD], hinted),
            ("brings others than one found", [LOAD, LOAD], hinted),
        ):
            first = [(name, same[0]) for name in begins]
            others = [(other, line) for line in same[1:OTHERS]]
            region: list[Instruction] = []
            for count, register in zip(range(OTHERS), RESULTS, strict=False):
                before = [_access(*probe).having(wait=1) for probe in (*first, *others[:count])]
                region += [*EMPTY_L1_ALONE, *before, *stopwatch(register, [_access(LOAD, same[0])], wait=1)]
            yield probing(f"hinted/{hinted} {title}", region, OTHERS)
        yield from _rows((LOAD, hinted), same)
        yield from _rows((hinted,), same)
    for name in STORES:
        yield from _rows((LOAD, name), same)
    words = range(12)
    for names in (("LDL", "LDL.LU", "STL"), ("LDL.LU", "STL")):
        yield from _rows(names, words)
    for done in DONE_TO_WORDS:
        for count in OTHER_LINES:
            yield _beside(done, count)


def _rows(names: Sequence[str], lines: Sequence[int]) -> Iterator[Experiment]:
    """Rows of probes of lines drawn at random."""
    for row in range(ROWS):
        draw = Random(row)
        drawn = draw.sample(lines, 5 + row % 4)
        probes = [(draw.choice(names), draw.choice(drawn)) for _ in range(PROBES)]
        region = [*EMPTY_L1_ALONE]
        for register, probe in zip(RESULTS, probes, strict=False):
            region += stopwatch(register, [_access(*probe)], wait=1)
        yield probing(f"hinted/{', '.join(names)}, row {row} of {len(drawn)} lines", region, PROBES)


def _beside(names: Sequence[str], count: int) -> Experiment:
    """Words of local memory that L1 does not have, what is done with each in turn, other lines, and the words again."""
    region = [*_walk("first", ALL_OTHERS)]
    region += [_access(name, word).having(wait=1) for word in range(PROBES) for name in names]
    region += _walk("others", count) if count else []
    for register, word in zip(RESULTS, range(PROBES), strict=False):
        region += stopwatch(register, [_access("LDL", word)], wait=1)
    return probing(f"hinted/{', '.join(names)}, then {count} other lines", region, PROBES)


def _walk(label: str, lines: int) -> list[Instruction]:
    """Load lines of global memory one behind the other, each once."""
    return [
        op("MOV.IMM", COUNTER, lines // STEP, stall=SAFE, wait=1),
        op("IMAD.WIDE.U32.IMM", POINTER, RZ, 0, GLOBAL, stall=SAFE),
        op("NOP", stall=SAFE, label=label),
        *[op(LOAD, 40, 4, POINTER, LINE_BYTES * i, write=0, stall=4) for i in range(STEP)],
        op("IADD3.IMM", COUNTER, COUNTER, -1, RZ, stall=SAFE),
        op("ISETP", 0, COUNTER, RZ, stall=SAFE),
        op("IADD3.IMM", POINTER, POINTER, LINE_BYTES * STEP, RZ, stall=SAFE, wait=1),
        op("BRA", label, guard=0, stall=5),
        op("NOP", stall=SAFE, wait=1),
    ]


def _access(name: str, line: int) -> Instruction:
    """A load or store of a word of a line; barrier 0 is released when it has come, or has read what is stored."""
    if name.startswith("STG"):
        return op(name, 4, GLOBAL, LINE_BYTES * line, 40, read=0, stall=2)
    if name == "STL":
        return op(name, LOCAL, WORD_BYTES * line, 40, read=0, stall=2)
    if name.startswith("LDL"):
        return op(name, 40, LOCAL, WORD_BYTES * line, write=0, stall=2)
    return op(name, 40, 4, GLOBAL, LINE_BYTES * line, write=0, stall=2)
