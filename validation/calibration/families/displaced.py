"""Which lines that gather stores leave for others: a warp stores to some, to these or some of them again, and loads.

The load misses L1 and passes no stores: it is back the later, the more lines wait when it comes. Lines of one slice of
L1 or as many of each, in one bank or in all.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..program import SAFE, Experiment, clock, constant, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1_ALONE, by_bits, from_on, further_on
from .operations import GLOBAL, setup

LINE = 128  # bytes
START, BACK = 8, 9
# Lines that are any of these distances apart, or sums of them, lie in one slice of L1, or in each of four in turn
# (``tags``).
SLICES = {"one slice": (5, 10, 544, 10240), "four slices": (16, 64, 5, 10, 544)}
COUNTS = {"one slice": range(1, 17), "four slices": range(24, 33)}
ALL = {"one slice": 8, "four slices": 32}
BEGINNINGS = {"one slice": (0, 1, 3, 5), "four slices": (0, 1, 2, 5, 8, 16, 24, 31)}
AGAIN = {"one slice": range(8), "four slices": (*range(8), 16, 31)}
BANKS = {"one bank": 0, "all banks": 4}  # bytes from a lane's words to the next one's
FURTHER = 1 << 21  # bytes to what is loaded
_WHICH, _ROW, _SCRATCH, _LANE = 52, 53, 54, 55
_ADDRESS, _LOADED = 56, 58
_ADDRESSES = (28, 30)
_NONE = (1, 2)  # predicates: a lane does not store


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family; lane l stores to line l of those that are named."""
    for slices, distances in SLICES.items():
        for banks, apart in BANKS.items():
            for count in COUNTS[slices]:
                rows = [_Row(_addresses(distances, 1 << len(distances), apart), count)]
                yield _experiment(f"{count} lines of {slices}, {banks}", rows)
            lines = ALL[slices]
            name, first = f"{lines} lines of {slices}, {banks}", _Row(_addresses(distances, lines, apart), lines)
            for begins in BEGINNINGS[slices]:
                again = _Row(_addresses(distances, lines, apart, begins), lines)
                yield _experiment(f"{name}, again from line {begins}", [first, again])
            backwards = _Row(_addresses(distances, lines, apart, flipped=lines - 1), lines)
            yield _experiment(f"{name}, again backwards", [first, backwards])
            for line in AGAIN[slices]:
                again = _Row(_addresses(distances, lines, apart, line), 1)
                yield _experiment(f"{name}, line {line} again", [first, again])


class _Row(NamedTuple):
    """Which lines one store goes to: instructions that set an address in ``_ADDRESS``, and how many lanes have one."""

    addresses: list[Instruction]
    lanes: int


def _addresses(
    distances: Sequence[int], lines: int, apart: int, begins: int = 0, flipped: int = 0
) -> list[Instruction]:
    """Set a lane's address, of its word in the line of its number, some bits of it flipped, from that one on."""
    return [
        constant(_SCRATCH, flipped),
        op("LOP3", _WHICH, _LANE, _SCRATCH, RZ, stall=SAFE),
        op("IADD3.IMM", _WHICH, _WHICH, begins, RZ, stall=SAFE),
        op("LOP3.IMM", _WHICH, _WHICH, lines - 1, RZ, stall=SAFE),
        *by_bits(_ROW, _WHICH, distances, _SCRATCH),
        op("IMAD.WIDE.U32.IMM", _ADDRESS, _ROW, LINE, GLOBAL, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _ADDRESS, _WHICH, apart, _ADDRESS, stall=SAFE),
    ]


def _experiment(label: str, rows: Sequence[_Row]) -> Experiment:
    """Store to one row of lines or two, one right behind the other, and load behind them."""
    prepare = [*setup(lane_stride=0), op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE), *further_on(_LOADED, FURTHER)]
    stores = []
    for number, row in enumerate(rows):
        address, none = _ADDRESSES[number], _NONE[number]
        prepare += [
            *row.addresses,
            *(op("MOV", address + word, _ADDRESS + word, stall=SAFE) for word in range(2)),
            *from_on(none, row.lanes, _LANE, _SCRATCH),
        ]
        stores.append(op("STG.32", 4, address, 0, 40, guard=~none, read=0, stall=2))
    region = [
        *EMPTY_L1_ALONE,
        clock(START, stall=4),
        *stores,
        op("LDG.32", 24, 4, _LOADED, 0, write=1, stall=2),
        clock(BACK, stall=4, wait=1 << 1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    records, alone = [START, BACK], [smsp_warps(1)]
    return Experiment(f"displaced/{label}", region, records, prepare, alone, iterations=2, sync=True, kind="spans")
