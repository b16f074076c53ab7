"""Rows of loads of consecutive words of 32 lines, as of a matrix's column by a thread each, that miss L1 or hit there.

A clock read behind each load as it issues, then one as each group of them is back.
"""

from collections.abc import Iterator

from ..program import Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import FURTHEST, further_on, lanes_apart, timed_groups
from .operations import GLOBAL

STRIDES = {"one bank": 128, "all banks": 132, "one bank, three lines apart": 384}
COUNTS = (1, 2, 4, 8, 16)
GROUPS = 5
LINE_OF_ALL, FIRST = 56, 64  # register pair of the address that all lanes share; first record
AREA = 1 << 16
LAUNCHES = (smsp_warps(1), smsp_warps(2), sm_warps(1), sm_warps(2))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stride in STRIDES:
        for count in COUNTS:
            for held in (False, True):
                yield _row(stride, count, held, False)
                yield _row(stride, count, held, True)


def _row(stride: str, count: int, held: bool, in_turn: bool) -> Experiment:
    group = -(-count // GROUPS)
    loads: list[Instruction] = []
    for i in range(count):
        barrier = i // group
        if in_turn:
            loads.append(op("LDG.32", 26 + i % 8, 4, LINE_OF_ALL, 4 * i, write=barrier, stall=2))
        loads += [op("LDG.32", 8 + i % 16, 4, GLOBAL, 4 * i, write=barrier, stall=1), clock(FIRST + 1 + i, stall=1)]
    ends, groups = FIRST + 1 + count, -(-count // group)
    first = [op("LDG.32", 24, 4, GLOBAL, 32 * i, write=5, stall=2) for i in range(-(-count // 8))] if held else []
    before = [op("LDG.32", 25, 4, LINE_OF_ALL, 0, write=5, stall=2), *first]
    return Experiment(
        f"columns/{count} {'held' if held else 'missing'}, {stride}{', in turn' if in_turn else ''}",
        timed_groups(before, loads, FIRST, ends, groups),
        range(FIRST, ends + groups),
        [*lanes_apart(0, 5, 0, 0), *further_on(LINE_OF_ALL, AREA), *lanes_apart(STRIDES[stride], 0, 0, FURTHEST)],
        LAUNCHES,
        registers=128,
        iterations=2,
        sync=True,
        kind="timeline",
    )
