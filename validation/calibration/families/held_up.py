"""Stores between loads that miss L1: when the loads' data come, and when a load that hits, behind the stores, is back.

Most warps load, a clock read behind each load's barrier. The last ones store meanwhile, some cycles later, and load
behind that from a line that L1 holds; a clock before the stores, behind the last one's issue, and behind that load. A
block barrier keeps the stores of the records away.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock
from ..sass import Instruction, op
from .burst import APART, EMPTY_L1
from .roles import BEGUN, STORED, STORER, addresses, loads_of, region_of, roles

_LOAD_BYTES, _WARP_BYTES, _STORER_BYTES = 1024, 8192, 1 << 17
_HELD = 128 * APART  # of a warp that stores: the line that L1 holds
_STORING = (5, 0, 4)  # its lanes: log2 of a group, bytes between groups and between lanes
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
LOADERS = {
    "LDG.128": ("LDG.128", 5, 0, 16),
    "LDG.32": ("LDG.32", 5, 0, 4),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128, 4),
}
# label -> operation, bytes between stores
STORES = {
    "STG.32, the same": ("STG.32", 0),
    "STG.32, a page apart": ("STG.32", APART),
    "STG.32, held": ("STG.32", -1),
    "REDG.ADD": ("REDG.ADD", APART),
    "LDG.32": ("LDG.32", APART),
}
PAUSES = (4, 14, 24, 34, 44, 54, 64)  # turns of 15 cycles before the stores


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for pause in PAUSES:
        for count in (1, 2, 4, 8):
            for stores in ("STG.32, the same", "STG.32, a page apart"):
                yield _held_up("LDG.128", stores, 1, count, pause)
        for stores in ("STG.32, held", "REDG.ADD", "LDG.32"):
            yield _held_up("LDG.128", stores, 1, 4, pause)
        for storers in (2, 4):
            yield _held_up("LDG.128", "STG.32, a page apart", storers, 1, pause)
            yield _held_up("LDG.128", "STG.32, a page apart", storers, 4, pause)
        yield _held_up("LDG.32", "STG.32, a page apart", 1, 1, pause // 2)
        yield _held_up("LDG.32", "STG.32, a page apart", 1, 4, pause // 2)
        yield _held_up("LDG.32", "STG.32, a page apart", 4, 1, pause // 2)
        yield _held_up("LDG.32 of 8 lines", "STG.32, a page apart", 1, 1, pause)
        yield _held_up("LDG.32 of 8 lines", "STG.32, a page apart", 1, 4, pause)
        for pace in (15, 60):
            yield _held_up("LDG.32", "STG.32, a page apart", 1, 1, pause // 2, pace=pace)
            yield _held_up("LDG.32", "STG.32, a page apart", 4, 1, pause // 2, pace=pace)


def _held_up(loads: str, stores: str, storers: int, count: int, pause: int, *, pace: int = 2) -> Experiment:
    between = [op("NOP", stall=15)] * (pace // 15)
    ends = [
        op("LDG.32", 60, 4, STORED, _HELD, write=4, stall=2),
        clock(BEGUN + 2, stall=2, wait=1 << 5),
        clock(BEGUN + 3, stall=2, wait=1 << 4),
        clock(BEGUN + 4, stall=2, wait=0x3F),
    ]
    region = [
        *EMPTY_L1,
        op("LDG.32", 60, 4, STORED, _HELD, guard=STORER, write=5, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("filled"),
        *region_of(
            loads_of(LOADERS[loads][0], _LOAD_BYTES, between), pause, [_store(stores, i) for i in range(count)], ends
        ),
    ]
    paced = f" {pace} cycles apart" if pace > 2 else ""
    return roles(
        f"held_up/{count} {stores} by {storers} beside {loads}{paced}, {15 * pause} cycles later",
        region,
        addresses(LOADERS[loads][1:], _WARP_BYTES, storers, _STORING, _STORER_BYTES),
    )


def _store(name: str, i: int) -> Instruction:
    operation, apart = STORES[name]
    if operation == "LDG.32":
        return op("LDG.32", 61, 4, STORED, apart * i, write=5, stall=2)
    return op(operation, 4, STORED, _HELD if apart < 0 else apart * i, 40, read=5, stall=2)
