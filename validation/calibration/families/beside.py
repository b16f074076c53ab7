"""Stores, atomics and local stores beside loads that miss L1: how much later the loads' data come.

Most warps load, a clock read behind each load's barrier, while the data come without a pause. The last one or four
stores meanwhile. A block barrier keeps the stores of the records away.
"""

from collections.abc import Iterator

from ..program import Experiment, clock
from ..sass import Instruction, op
from .burst import APART, EMPTY_L1, FURTHEST
from .operations import LOCAL, SHARED
from .roles import BEGUN, LOADS, STORED, addresses, loads_of, region_of, roles

# All that is touched lies in 2 MB, or loads and stores in pages of 2 MB of their own: bytes between two loads of a
# warp, two warps, and two warps that store, the first of which is 8 of these behind the loads' first.
NEAR, OTHER = (1024, 8192, 1 << 17), (APART, FURTHEST, 1 << 20)
FIRST_LANE = 6  # predicate: not the first lane of the warp
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
LOADERS = {"LDG.32 of 8 lines": ("LDG.32", 2, 128, 4), "LDG.128": ("LDG.128", 5, 0, 16)}
# label -> operation, log2 of the lanes in a group, bytes between groups, between lanes of a group, and between stores
STORES = {
    "STG.32 of a lane, the same": ("STG.32", 5, 0, 0, 0),
    "STG.32 of a lane, a line apart": ("STG.32", 5, 0, 0, 128),
    "STG.32 of a lane, a page apart": ("STG.32", 5, 0, 0, APART),
    "STG.32, the same": ("STG.32", 5, 0, 4, 0),
    "STG.32, a line apart": ("STG.32", 5, 0, 4, 128),
    "STG.32, a page apart": ("STG.32", 5, 0, 4, APART),
    "STG.32 of 8 lines": ("STG.32", 2, 128, 4, APART),
    "STG.32 of 32 lines": ("STG.32", 0, 128, 0, APART),
    "STG.32 132 bytes apart": ("STG.32", 0, 132, 0, 2 * APART),
    "STG.32 8 bytes apart": ("STG.32", 0, 8, 0, APART),
    "STG.32 16 bytes apart": ("STG.32", 0, 16, 0, APART),
    "STG.128": ("STG.128", 5, 0, 16, APART),
    "REDG.ADD of a lane": ("REDG.ADD", 5, 0, 0, APART),
    "REDG.ADD": ("REDG.ADD", 5, 0, 4, APART),
    "ATOMG.ADD": ("ATOMG.ADD", 5, 0, 4, APART),
    "LDG.32 held": ("LDG.32", 5, 0, 4, 0),
    "STL": ("STL", 5, 0, 0, 0),
    "STS.32": ("STS.32", 5, 0, 0, 0),
}
# Warps that store, the last ones, and how often each does.
ROLES = ((1, 8), (1, 32), (4, 8))
# Turns of 15 cycles until the stores begin: while requests still go out, and when all have.
EARLY, LATE = 26, 84


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for loads in LOADERS:
        for storers in (1, 4):
            yield _beside(loads, "STG.32, the same", (storers, 0))
        for stores in STORES:
            for role in ROLES:
                yield _beside(loads, stores, role)
    for stores in STORES:
        yield _beside("LDG.32 of 8 lines", stores, (1, 32), LATE)
    for stores in ("STG.32, a line apart", "REDG.ADD of a lane", "LDG.32 held", "STL", "STS.32"):
        for loads in LOADERS:
            yield _beside(loads, stores, (1, 8), place=OTHER)


def _beside(
    loads: str, stores: str, role: tuple[int, int], turns: int = EARLY, place: tuple[int, int, int] = NEAR
) -> Experiment:
    storers, count = role
    load_bytes, warp_bytes, storer_bytes = place
    rows = [_store(stores, i, STORES[stores][-1]) for i in range(count)]
    ends = [clock(BEGUN + i, stall=2, wait=0x3F) for i in range(2, LOADS)]
    when = ("" if turns == EARLY else ", late") + ("" if place == NEAR else ", other pages")
    return roles(
        f"beside/{count} {stores} by {storers} beside {loads}{when}",
        [*EMPTY_L1, *region_of(loads_of(LOADERS[loads][0], load_bytes), turns, rows, ends)],
        addresses(LOADERS[loads][1:], warp_bytes, storers, STORES[stores][1:4], storer_bytes),
        shared=16384,
    )


def _store(name: str, i: int, apart: int) -> Instruction:
    operation = STORES[name][0]
    if operation == "LDG.32":
        return op("LDG.32", 60, 4, STORED, 0, write=5, stall=2)
    if operation == "ATOMG.ADD":
        return op("ATOMG.ADD", 60, 4, STORED, apart * i, 40, write=5, stall=2)
    if operation == "STL":
        return op("STL", LOCAL, 4 * (i % 16), 40, read=5, stall=2)
    if operation == "STS.32":
        return op("STS.32", SHARED, 0, 40, read=5, stall=2)
    one = op(operation, 4, STORED, apart * i, 40, read=5, stall=2)
    return one.having(guard=~FIRST_LANE) if "of a lane" in name else one
