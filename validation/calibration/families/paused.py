"""Straight code that the ICC lacks, with pauses: which lines have come meanwhile, and how those behind follow.

As in ``ahead`` a clock is read at the start of every line, and between two passes a row of NOPs throws the lines out of
the ICC, not out of the GCC.
"""

import random
from collections.abc import Callable, Iterator

from ..program import LINE, Experiment, smsp_warps
from .ahead import LINES, straight

FIRST = 24  # the line in which a pause is, or one of the two behind it
PAUSED = range(FIRST, FIRST + 3)
STALLS = range(2, 16)  # of the seven NOPs of a line
ONCE = (4, 8, 12, 15)  # of one instruction
PLACES = (1, 7)
BOTH = ((15, 15), (15, 8), (15, 4), (8, 8), (8, 4), (4, 4), (4, 15), (8, 15))  # in two lines, one behind the other
SEED = 5
FAST, SLOW = (1, 1, 1, 2, 2, 3, 4, 6), (1, 2, 2, 3, 4, 4, 6)  # what the stall counts of each instruction are drawn from
OFTEN = 0.9  # an instruction does not pause for the longest time

Stalls = list[list[int]]


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for line in PAUSED:
        for stall in STALLS:
            yield _alone(f"{stall} in line {line}", _even({line: [1] + [stall] * (LINE - 1)}))
        for stall in ONCE:
            for place in PLACES:
                row = [stall if i == place else 1 for i in range(LINE)]
                yield _alone(f"{stall} at {place} in line {line}", _even({line: row}))
    for first, second in BOTH:
        rows = {FIRST: [1] + [first] * (LINE - 1), FIRST + 1: [1] + [second] * (LINE - 1)}
        yield _alone(f"{first} and {second}", _even(rows))
    chances = random.Random(SEED)
    for number in range(20):
        yield _alone(f"random {number}", _each(lambda: chances.choice(FAST)))
    for number in range(10):
        yield _alone(f"random slow {number}", _each(lambda: chances.choice(SLOW)))
    for number in range(10):
        yield _alone(f"random pauses {number}", _each(lambda: 1 if chances.random() < OFTEN else STALLS[-1]))


def _even(rows: dict[int, list[int]]) -> Stalls:
    return [rows.get(line, [1] * LINE) for line in range(LINES)]


def _each(draw: Callable[[], int]) -> Stalls:
    return [[draw() for _ in range(LINE)] for _ in range(LINES)]


def _alone(name: str, stalls: Stalls) -> Experiment:
    return straight(f"paused/{name}", stalls, (smsp_warps(1),))
