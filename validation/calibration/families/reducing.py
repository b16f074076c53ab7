"""Rows of loads that L1 holds with reductions, atomics or stores between: which of L1's stages each takes, how long.

Loads of many passes keep the data stage busy, loads of many lines the tag stage: what comes between them makes the row
longer by what it takes there.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, block_barrier, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .atomics import PATTERNS as WORDS
from .burst import APART, DONE, ISSUED, RECORDS, START, further_on, lanes_apart
from .draining import PAUSE
from .following import PATTERNS as LINES
from .operations import GLOBAL

LOADED = 56  # register pair with the loads' addresses
TURNS = 6
LOADS = (1, 4)  # between two of the others
OTHERS = ("REDG.ADD", "ATOMG.ADD", "STG.32")
LOADS_OF = ("1 line", "8 lines", "32 lines", "32 banks")
OTHERS_OF = (
    "32 words",
    "32 words 16 bytes apart",
    "32 sectors",
    "32 lines",
    "32 words 132 bytes apart",
    "8 lines",
    "one word",
)
AREA = 128 * APART  # bytes from the others' words to the loads'
FIRST_LANE = 6  # predicate: not the first lane of the warp
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 4)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for lines in LOADS_OF:
        for loads in LOADS:
            yield _row(lines, loads, "", "one word", guard=False)
            for other in OTHERS:
                for words in OTHERS_OF:
                    yield _row(lines, loads, other, words, guard=False)
                yield _row(lines, loads, other, "one word", guard=True)


def _row(lines: str, loads: int, other: str, words: str, *, guard: bool) -> Experiment:
    row: list[Instruction] = []
    for turn in range(TURNS):
        for i in range(loads):
            row.append(op("LDG.32", 24 + (turn * loads + i) % 16, 4, LOADED, write=0, stall=2))
        if other:
            one = _other(other, turn)
            row.append(one.having(guard=~FIRST_LANE) if guard else one)
    region = [
        op("LDG.32", 24, 4, LOADED, write=0, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("all"),
        clock(START, stall=4),
        *row,
        clock(ISSUED, stall=4),
        clock(DONE, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    of = "one lane" if guard else words
    between = f", {other} of {of} between" if other else ""
    group, stride = LINES[lines][0], LINES[lines][1]
    return Experiment(
        f"reducing/{loads} LDG.32 of {lines}{between}",
        region,
        RECORDS,
        _addresses((group, stride), WORDS[words]),
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )


def _other(name: str, turn: int) -> Instruction:
    if name == "ATOMG.ADD":
        return op(name, 40 + turn % 4, 4, GLOBAL, APART * turn, 45, write=1, stall=2)
    return op(name, 4, GLOBAL, APART * turn, 45, read=1, stall=2)


def _addresses(loads: tuple[int, int], others: tuple[int, int, int]) -> Sequence[Instruction]:
    group, stride = loads
    return [
        *lanes_apart(stride, group, 4, warp_bytes=4 * APART),
        *further_on(LOADED, AREA),
        *lanes_apart(others[1], others[0], others[2], warp_bytes=8 * APART),
    ]
