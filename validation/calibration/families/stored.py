"""Bursts of stores and loads in turn: what a store's passes hold up, by banks of L1's data, and what holds up those."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, burst, lanes_apart
from .operations import GLOBAL

PAIRS = 8
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2)))
ALONE = (*LAUNCHES, sm_warps(4), sm_warps(8))
LINES = (8, 32)  # of a store, and of a load
LOADED = 32 * APART  # behind the lines that are stored to: where the loads' lines begin
# How far behind the stored words those lie that are loaded, in their lines.
PLACES = {"of the same banks": 0, "of other banks": 64}
BESIDE = 58  # the address of a word beside those of the other lanes


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for lines in LINES:
        group = 6 - lines.bit_length()
        for width in ("32", "64", "128") if lines == 32 else ("32",):
            stores = [op(f"STG.{width}", 4, GLOBAL, APART * (i % 2), 40, stall=2) for i in range(PAIRS)]
            for label, place in PLACES.items():
                loads = [_load(LOADED + place, i) for i in range(PAIRS)]
                row = [one for pair in zip(stores, loads, strict=True) for one in pair]
                name = f"stored/{PAIRS} STG.{width} and LDG.32 of {lines} lines, {label}"
                yield burst(name, row, lanes_apart(128, group, 4), launches=LAUNCHES)
    yield from _beside()


def _beside() -> Iterator[Experiment]:
    """Loads of 32 passes, and stores of one line by the same warps before or behind each."""
    prepare = [*lanes_apart(4), op("IMAD.WIDE.U32.IMM", BESIDE, RZ, 0, GLOBAL, stall=SAFE), *lanes_apart(128)]
    for label, place in (("before", 0), ("behind", 1)):
        row = [_load(LOADED, i // 2) for i in range(2 * PAIRS)]
        row[place::2] = [op("STG.32", 4, BESIDE, APART * (i % 2), 40, stall=2) for i in range(PAIRS)]
        yield burst(f"stored/{PAIRS} LDG.32 of 32 lines, a STG.32 of 1 line {label} each", row, prepare, launches=ALONE)


def _load(offset: int, i: int) -> Instruction:
    return op("LDG.32", 24 + i, 4, GLOBAL, offset, write=0, stall=2)
