"""Tiles: warps load words, store them to shared memory, and load many of those behind a block barrier, as a product.

Of each warp the cycles of all its rows of loads from shared memory, and of all waits at the barrier behind them.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, block_barrier, clock, constant
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, full

TURNS = 24
GROUPS, WORDS = 4, 4  # of a row: each a load of four words and so many of one
GLOBAL, SHARED, QUAD, MINUS = 8, 10, 11, 12  # registers
BEGAN, LOADED, RELEASED = 13, 14, 15
ROWS, WAITS, SPENT, ONE, LEFT = 24, 25, 26, 27, 28
SECOND = 1 << 15  # bytes to the second array
APART = 1 << 10  # bytes that a block's warps load, and store, at a time
BLOCKS = (1, 2, 4, 8)


def experiments() -> Iterator[Experiment]:
    """Yield the program."""
    yield Experiment(
        "tiles/2 LDG.32, 20 LDS",
        [
            *(constant(register, value) for register, value in ((ROWS, 0), (WAITS, 0), (LEFT, TURNS))),
            op("NOP", label="tile", stall=SAFE),
            *_turn(),
            op("IADD3.IMM", LEFT, LEFT, -1, RZ, stall=SAFE),
            op("ISETP", 0, LEFT, RZ, stall=SAFE),
            op("BRA", "tile", guard=0, stall=5),
        ],
        [ROWS, WAITS],
        [
            constant(MINUS, 0xFFFFFFFF),
            constant(ONE, 1),
            op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
            op("IMAD.WIDE.U32.IMM", GLOBAL, 0, 4, GLOBAL, wait=1, stall=SAFE),
            op("LOP3.IMM", SHARED, 0, 255, RZ, stall=SAFE),
            op("IMAD.IMM", SHARED, SHARED, 4, RZ, stall=SAFE),
            op("LOP3.IMM", QUAD, SHARED, 64, RZ, stall=SAFE),
        ],
        [full(f"{n} blocks", threads=256, blocks=n * ALL_SMS, shared=2 * APART) for n in BLOCKS],
        registers=32,
        iterations=1,
        sync=True,
        kind="means",
    )


def _turn() -> list[Instruction]:
    """One tile."""
    row: list[Instruction] = []
    for group in range(GROUPS):
        row.append(op("LDS.128", 16, QUAD, 16 * group, stall=2))
        row += [op("LDS.32", 20 + i, SHARED, 64 * (WORDS * group + i), stall=2) for i in range(WORDS)]
        row[-1] = row[-1].having(write=2)
        row.append(op("NOP", stall=SAFE, wait=4))
    return [
        op("LDG.32.GPU", 16, 4, GLOBAL, write=0, stall=4),
        op("LDG.32.GPU", 17, 4, GLOBAL, SECOND, write=1, stall=4),
        op("STS.32", SHARED, 0, 16, wait=1, stall=4),
        op("STS.32", SHARED, APART, 17, wait=2, stall=4),
        *block_barrier("stored"),
        clock(BEGAN, stall=SAFE),
        *row,
        clock(LOADED, stall=SAFE),
        *block_barrier("loaded"),
        clock(RELEASED, stall=SAFE),
        op("IMAD", SPENT, BEGAN, MINUS, LOADED, stall=SAFE),
        op("IADD3", ROWS, ROWS, SPENT, RZ, stall=SAFE),
        op("IMAD", SPENT, LOADED, MINUS, RELEASED, stall=SAFE),
        op("IADD3", WAITS, WAITS, SPENT, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, APART, GLOBAL, stall=SAFE),
    ]
