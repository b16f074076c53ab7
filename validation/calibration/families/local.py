"""Local memory at an index of each lane's own: bursts of loads, of stores, and of both in turn."""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, burst
from .operations import LOCAL, setup

COUNTS = (1, 8, 32)
ROWS = (1, 4, 8, 32)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family; ``rows`` are words of a thread, each a line of 128 bytes of a warp."""
    for rows in ROWS:
        for spread in ("in turn", "side by side"):
            prepare = _rows(rows, spread == "in turn")
            label = f"of {rows} rows {spread}"
            for count in COUNTS:
                stores = [op("STL", LOCAL, 0, 40, read=0, stall=2)] * count
                loads = [op("LDL", 24 + i % 16, LOCAL, write=0, stall=2) for i in range(count)]
                yield burst(f"local/{count} STL {label}", stores, prepare)
                yield burst(f"local/{count} STL {label}, fenced", stores, prepare, fence=True)
                yield burst(f"local/{count} LDL {label}", loads, prepare)
                both = [instruction for pair in zip(stores, loads, strict=True) for instruction in pair]
                yield burst(f"local/{count} STL LDL {label}", both, prepare)
                turns = [instruction.having(wait=1) for instruction in both]
                yield burst(f"local/{count} STL LDL {label}, one after the other", turns, prepare)
            yield burst(f"local/1 LDL {label}, not held", loads[:1], prepare, before=EMPTY_L1)
            yield burst(f"local/8 LDL {label}, not held", loads[:8], prepare, before=EMPTY_L1)
            yield burst(f"local/1 STL LDL {label}, not held", both[:2], prepare, before=EMPTY_L1)
            yield burst(f"local/8 STL {label}, not held", stores[:8], prepare, before=EMPTY_L1)
    for width, registers in (("64", 2), ("128", 4)):
        for count in COUNTS:
            loads = [op(f"LDL.{width}", 24 + registers * i % 16, LOCAL, write=0, stall=2) for i in range(count)]
            stores = [op(f"STL.{width}", LOCAL, 0, 40, read=0, stall=2)] * count
            yield burst(f"local/{count} LDL.{width}", loads, setup())
            yield burst(f"local/{count} STL.{width}", stores, setup())


def _rows(rows: int, in_turn: bool) -> list[Instruction]:
    """Lane ``l`` takes row ``l % rows``, or rows of neighbouring lanes."""
    lane = op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE)
    row = (
        op("LOP3.IMM", 53, 53, rows - 1, RZ, stall=SAFE)
        if in_turn
        else op("SHF.R.IMM", 53, RZ, 6 - rows.bit_length(), 53, stall=SAFE)
    )
    return [*setup(), lane, row, op("IMAD.IMM", LOCAL, 53, 4, LOCAL, stall=SAFE)]
