"""Which bytes of a sector L1 has, by the time between two stores and between a load and a store."""

from collections.abc import Iterator

from ..program import Experiment
from ..sass import Instruction, op
from .burst import lanes_apart
from .partly import by_distance

# Steps as in `partly`. At ``...`` so many cycles pass; the last load is timed.
STORED = ("S0 ... S1 - L0", "L0 - S0 ... S1 - L3", "S0 L0 ... S1 - L0")
LOADED = ("L0 ... S0 - L1", "X4 L0 ... S0 - L1", "L0 X4 ... S0 - L1", "L0 L1 ... S0 - L1")
BEHIND_STORES = (*range(24), *range(24, 40, 2), *range(40, 80, 8), *range(96, 288, 64))
STEPS_BEHIND_LOADS = range(0, 96, 2)
# Bytes between lanes, of which one in 1 << group counts, and a time shortly before what a load brings is there.
LANES = ((8, 0, 210), (16, 0, 212), (32, 0, 212), (128, 0, 280), (128, 5, 206))
WAITED = 30


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stride, group, back in LANES:
        lanes = f"{32 >> group} times {stride} bytes apart"
        for sequences, distances in ((STORED, BEHIND_STORES), (LOADED, [back + step for step in STEPS_BEHIND_LOADS])):
            for sequence in sequences:
                if max(int(step[1:]) for step in sequence.split() if step[0] in "LS") * 4 < stride:
                    name, pauses = f"validity/{sequence}, {lanes}", [_pause(cycles) for cycles in distances]
                    yield by_distance(name, sequence, pauses, lanes_apart(stride, group, 0), distances, WAITED)


def _pause(cycles: int) -> list[Instruction]:
    rest = [op("NOP", stall=cycles % 8)] if cycles % 8 else []
    return [op("NOP", stall=8)] * (cycles // 8) + rest
