"""Stores of warps that reach into the line of the next warp's, and loads of these lines behind a barrier.

`reaching/once`: of lines that L1 has, or has not, and long behind the stores, so that only lines which L1 has not
kept take the load long. `reaching/rounds`: two rows of lines in turn, each loaded right behind the barrier.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock, first_warps
from ..sass import Instruction, op
from .burst import EMPTY_L1, lanes_apart, pauses
from .operations import GLOBAL

WORDS = (0, 1, 8, 16, 24, 31)  # by which a warp's row begins behind its line
ONCE, ROUNDS = 6, 16
APART = 8192  # bytes between the rows of lines
LONG = 400  # cycles in which all stores have left
FIRST, LOADED = 8, 36  # first record, a load's register
LAUNCHES = first_warps((2, 4, 8, 12, 16, 24, 32))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for words in WORDS:
        for held in (False, True):
            yield _once(words, held)
        yield _rounds(words, "own")
        yield _rounds(words, "next")


def _once(words: int, held: bool) -> Experiment:
    region: list[Instruction] = [*EMPTY_L1]
    for i in range(ONCE):
        load = op("LDG.32", LOADED, 4, GLOBAL, i * APART, write=0, stall=2)
        behind = op("NOP", wait=1, stall=SAFE)
        first = FIRST + 4 * i
        region += [
            *([load, behind] if held else []),
            *block_barrier(f"store{i}"),
            op("STG.32", 4, GLOBAL, i * APART + 4 * words, 4, read=1, stall=2),
            clock(first, stall=2),
            clock(first + 1, wait=2, stall=2),
            *block_barrier(f"stored{i}"),
            *pauses(LONG),
            clock(first + 2, stall=2),
            load,
            clock(first + 3, wait=1, stall=2),
        ]
    return _program(f"once/{words} words on, {'held' if held else 'not held'}", region, 4 * ONCE)


def _rounds(words: int, whose: str) -> Experiment:
    region: list[Instruction] = [*EMPTY_L1, *block_barrier("begin"), clock(FIRST, stall=4)]
    further = 4 * words if whose == "own" else 0
    for i in range(ROUNDS):
        row = i % 2 * APART
        region += [
            op("STG.32", 4, GLOBAL, row + 4 * words, 4, stall=2),
            *block_barrier(f"stored{i}"),
            op("LDG.32", LOADED, 4, GLOBAL, row + further, write=0, stall=2),
            clock(FIRST + 1 + i, wait=1, stall=2),
        ]
    return _program(f"rounds/{words} words on, {whose}", region, 1 + ROUNDS)


def _program(name: str, region: list[Instruction], clocks: int) -> Experiment:
    return Experiment(
        f"reaching/{name}",
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(FIRST, FIRST + clocks),
        lanes_apart(4, 0, 0, 128),
        LAUNCHES,
        registers=64,
        iterations=3,
        sync=True,
        kind="timeline",
    )
