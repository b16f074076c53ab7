"""The first LDCs and S2URs of warps that have just come: who gets a place in the ADU's full queue, and when.

`started/ROW PACE`: five instructions so many cycles apart, a clock behind each; `A` is an LDC of the line of constants
that the first one of all misses, `B` one of another line, `U` an S2UR. `later` they come when both lines are there.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, first_warps
from ..sass import Instruction, op
from .prologues import COUNT, STACK

WARPS = (8, 12, 16, 20, 24, 28, 32)
ROWS = ("UUUUU", "AAAAA", "AUUUU", "UAUAU", "AUABB", "ABABA")
PACES = (4, 8)
FIRST_CLOCK = 40
LATER = 80  # NOPs between
# The first clock is no third instruction four cycles behind the first one: that one holds up the next warp's.
BEHIND_FIRST = 3


def experiments() -> Iterator[Experiment]:
    """Yield each row at each pace at once, then one of them later."""
    for row in ROWS:
        for pace in PACES:
            yield _experiment(f"{row} {pace}", row, _clocked(row, pace))
    row, pace = ROWS[0], PACES[-1]
    touched = [_one("A", 5), _one("B", 6), *[op("NOP", stall=SAFE)] * LATER]
    yield _experiment(f"{row} {pace} later", row, [*touched, *_clocked(row, pace)])


def _experiment(name: str, row: str, entry: list[Instruction]) -> Experiment:
    return Experiment(
        f"started/{name}",
        [op("NOP", stall=SAFE)],
        range(FIRST_CLOCK, FIRST_CLOCK + len(row) + 1),
        launches=first_warps(WARPS),
        entry=entry,
        iterations=1,
        kind="timeline",
    )


def _clocked(row: str, pace: int) -> list[Instruction]:
    code = [clock(FIRST_CLOCK, stall=BEHIND_FIRST)]
    for i, kind in enumerate(row):
        code += [_one(kind, i), clock(FIRST_CLOCK + 1 + i, stall=pace - 2)]
    return code


def _one(kind: str, i: int) -> Instruction:
    if kind == "U":
        return op("S2UR.CTAID", 8 + 2 * i, stall=2, write=min(i, 5))
    return op("LDC", 50 + i, STACK if kind == "A" else COUNT, stall=2, write=min(i, 5))
