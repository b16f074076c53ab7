"""Stores to the same lines again and again: as long as all of them gather, hardly any leaves for L2.

Which lines find places together depends on the slice of L1 that each is in, and what leaves first on the order in which
stores came to them.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, constant, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import burst, by_bits, from_on
from .operations import GLOBAL, setup

LINE = 128  # bytes
COUNTS = (16, 48)
ROWS = (8, 16, 24, 26, 27, 28, 29, 30, 31, 32)
ROWS_OF_TWO = (8, 12, 13, 14, 15, 16)
ALONE, TWO = smsp_warps(1), Launch("2 SMSPs", 64, 3)
# Lines that are any of these distances apart, or sums of them, lie in the same slice of L1 (``tags``).
OF_ONE_SLICE = (5, 544, 10240)
_WRAPS = 1  # a predicate: a lane begins with the first line again
_LANE, _ROW, _SCRATCH = 53, 54, 55
_ADDRESSES = (56, 58)
_WARP_BYTES = 64 * LINE


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family; a lane stores its word of the line of its number, or of as many fewer."""
    for count in COUNTS:
        for rows in ROWS:
            yield _burst(f"{count} STG.32 of {rows} lines", count, [_row_of(rows)], ALONE)
        for rows in ROWS_OF_TWO:
            yield _burst(f"{count} STG.32 of {rows} lines of each warp", count, [_row_of(rows)], TWO)
        for bits in range(1, len(OF_ONE_SLICE) + 1):
            name = f"{count} STG.32 of {1 << bits} lines of one slice"
            yield _burst(name, count, [by_bits(_ROW, _LANE, OF_ONE_SLICE[:bits], _SCRATCH)], ALONE)
        yield _burst(f"{count} STG.32 of 32 lines, there and back", count, [_row_of(32), _backwards()], ALONE)


def _row_of(rows: int) -> list[Instruction]:
    """Set the row of a lane: its number, from so many rows on the first again."""
    mask = 31 if rows > 16 else 15 if rows > 8 else rows - 1
    own = op("LOP3.IMM", _ROW, _LANE, mask, RZ, stall=SAFE)
    if rows == mask + 1:
        return [own]
    return [
        own,
        *from_on(_WRAPS, rows, _ROW, _SCRATCH),
        op("IADD3.IMM", _ROW, _ROW, -rows, RZ, stall=SAFE, guard=_WRAPS),
    ]


def _backwards() -> list[Instruction]:
    return [constant(_SCRATCH, 31), op("LOP3", _ROW, _LANE, _SCRATCH, RZ, stall=SAFE)]


def _burst(label: str, count: int, rows: Sequence[list[Instruction]], launch: Launch) -> Experiment:
    """Time so many stores, in turn to each of some choices of rows."""
    prepare = [
        *setup(lane_stride=0),
        op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _LANE, 4, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", _ROW, RZ, 5, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _ROW, _WARP_BYTES, GLOBAL, stall=SAFE),
    ]
    for address, row in zip(_ADDRESSES, rows, strict=False):
        prepare += [*row, op("IMAD.WIDE.U32.IMM", address, _ROW, LINE, GLOBAL, stall=SAFE)]
    stores = [op("STG.32", 4, _ADDRESSES[i % len(rows)], 0, 40, read=0, stall=2) for i in range(count)]
    return burst(f"gathered/{label}", stores, prepare, launches=[launch])
