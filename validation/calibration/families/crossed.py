"""Loops of two accesses in turn, reductions and atomics by the words they are at among them, or of one alone."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, block_barrier, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, further_on, lanes_apart, timed_loop
from .collisions import random_words
from .operations import GLOBAL

OTHER, AREA = 56, 1 << 20  # register pair of the second's addresses, bytes to them
START, END, TRIPS = 8, 9, 60
LOOP_TRIPS, LENGTH = 6, 12
ROUNDS = LOOP_TRIPS * LENGTH  # that one does each of the two
PLACES = 4  # of each, in turn
KINDS: dict[str, tuple[str, Sequence[Instruction]]] = {
    "REDG.ADD one word": ("REDG.ADD", lanes_apart(0, 0, 0, 0)),
    "REDG.ADD one of 64": ("REDG.ADD", random_words(64, 0)),
    "REDG.ADD 4 words": ("REDG.ADD", lanes_apart(32, 3, 0, 0)),
    "REDG.ADD row": ("REDG.ADD", lanes_apart(4, 0, 0, 128)),
    "ATOMG.ADD row": ("ATOMG.ADD", lanes_apart(4, 0, 0, 128)),
    "ATOMG.EXCH 4 lines": ("ATOMG.EXCH", lanes_apart(16, 0, 0, 512)),
    "ATOMG.ADD one word": ("ATOMG.ADD", lanes_apart(0, 0, 0, 0)),
    "STG row": ("STG.32", lanes_apart(4, 0, 0, 128)),
    "LDG row": ("LDG.32", lanes_apart(4, 0, 0, 128)),
    "LDG.GPU row": ("LDG.32.GPU", lanes_apart(4, 0, 0, 128)),
}
LAUNCHES = (smsp_warps(1), sm_warps(1), sm_warps(4))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    names = list(KINDS)
    for i, first in enumerate(names):
        for second in names[i:]:
            yield _loop(first, second)


def _loop(first: str, second: str) -> Experiment:
    row = []
    for i in range(LENGTH):
        row.append(_access(KINDS[first][0], GLOBAL, i, 24))
        if second != first:
            row.append(_access(KINDS[second][0], OTHER, i, 40))
    region = [
        *[op("NOP", stall=SAFE)] * 64,
        *block_barrier("begin"),
        op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE),
        *timed_loop(row, START, END, TRIPS, wait=3),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"crossed/{first} + {second}",
        region,
        [START, END],
        [*KINDS[second][1], *further_on(OTHER, AREA), *KINDS[first][1]],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )


def _access(name: str, addresses: int, number: int, register: int) -> Instruction:
    to = APART * (number % PLACES)
    if name.startswith(("REDG", "STG")):
        return op(name, 4, addresses, to, 45, read=0, stall=2)
    if name.startswith("LDG"):
        return op(name, register + number % PLACES, 4, addresses, to, write=1, stall=2)
    return op(name, register + number % PLACES, 4, addresses, to, 45, write=1, stall=2)
