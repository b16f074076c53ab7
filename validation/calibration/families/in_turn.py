"""Rows of a few accesses in turn, round after round: how long a round takes once the queues are full.

What a letter does is in ``KINDS``; reductions at a word make a pass in L1's data stage for each of their lanes.
"""

import tomllib
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import chain

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, from_on, further_on, lanes_apart
from .collisions import random_words

START, HALF, END = 64, 65, 66
ROUNDS, PLACES = 40, 4
AREA = 1 << 18  # bytes between the words of two kinds
LANES = {"r": (1, 12), "w": (2, 6)}  # predicate of the lanes from so many on, which take no part
# letter -> operation, addresses, their register pair
KINDS: dict[str, tuple[str, Sequence[Instruction], int]] = {
    "R": ("REDG.ADD", lanes_apart(0, 0, 0, 0), 16),  # one word
    "r": ("REDG.ADD", lanes_apart(0, 0, 0, 0), 32),  # one word, 12 lanes
    "w": ("REDG.ADD", lanes_apart(0, 0, 0, 0), 34),  # one word, 6 lanes
    "h": ("REDG.ADD", lanes_apart(4, 4, 0, 0), 18),  # 2 words, half the lanes each
    "q": ("REDG.ADD", lanes_apart(4, 3, 0, 0), 20),  # 4 words, a quarter each
    "4": ("REDG.ADD", lanes_apart(32, 3, 0, 0), 22),  # 4 words of 4 sectors
    "Q": ("REDG.ADD", random_words(64, 0), 8),  # of 64 words each lane has one
    "D": ("REDG.ADD", lanes_apart(4, 0, 0, 128), 14),  # 32 words
    "S": ("STG.32", lanes_apart(4, 0, 0, 128), 10),
    "s": ("STG.32", lanes_apart(4, 2, 0, 128), 12),  # a sector
    "T": ("STG.128", lanes_apart(16, 0, 0, 512), 60),
    "L": ("LDG.32", lanes_apart(4, 0, 0, 128), 56),  # a line that L1 has
    "l": ("LDG.32", lanes_apart(128, 2, 4, 4096), 58),  # 8 lines that it has
    "A": ("ATOMG.ADD", lanes_apart(4, 0, 0, 128), 38),  # 32 words
    "X": ("ATOMG.EXCH", lanes_apart(16, 0, 0, 512), 36),  # 32 words of 4 lines
}
ROUNDS_OF: dict[str, list[str]] = tomllib.loads((resources.files(__package__) / "in_turn.toml").read_text())
LAUNCHES = (smsp_warps(1), Launch("2x1", 64, 3), sm_warps(1), sm_warps(2))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for pattern in chain.from_iterable(ROUNDS_OF.values()):
        yield _rounds(pattern)


def _rounds(pattern: str) -> Experiment:
    rounds = [[_access(letter, i) for letter in pattern] for i in range(ROUNDS)]
    held = [_access(letter, i) for letter in sorted(set(pattern) & set("Ll")) for i in range(PLACES)]
    region = [
        *held,
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * 128,
        *block_barrier("begin"),
        clock(START, stall=4),
        *chain.from_iterable(rounds[: ROUNDS // 2]),
        clock(HALF, stall=2),
        *chain.from_iterable(rounds[ROUNDS // 2 :]),
        clock(END, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    prepare: list[Instruction] = []
    for number, letter in enumerate(sorted(set(pattern))):
        _, addresses, pair = KINDS[letter]
        prepare += [*addresses, *further_on(pair, AREA * number)]
    prepare.append(op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE))
    for predicate, first in LANES.values():
        prepare += from_on(predicate, first, 53, 54)
    return Experiment(
        f"in_turn/{pattern}",
        region,
        [START, HALF, END],
        prepare,
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
        registers=128,
    )


def _access(letter: str, number: int) -> Instruction:
    (name, _, addresses), to = KINDS[letter], APART * (number % PLACES)
    if name == "STG.128":
        return op(name, 4, addresses, to, 44, stall=2)
    if name.startswith(("REDG", "STG")):
        one = op(name, 4, addresses, to, 45, stall=2)
        return one.having(guard=~LANES[letter][0]) if letter in LANES else one
    if name.startswith("LDG"):
        return op(name, 24 + number % PLACES, 4, addresses, to, write=1, stall=2)
    return op(name, 28 + number % PLACES, 4, addresses, to, 45, write=1, stall=2)
