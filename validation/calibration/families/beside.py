"""Stores, atomics and local stores beside loads that miss L1: how much later the loads' data come.

Most warps load, a clock read behind each load's barrier, while the data come without a pause. The last one or four
stores meanwhile. A block barrier keeps the stores of the records away.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, block_barrier, clock
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, FURTHEST, lanes_apart
from .operations import GLOBAL, LOCAL, OPERATIONS, SHARED

_START = 8  # record: the region begins; one behind each load's barrier follows
_LOADS = 5
_STORED, _STORER = 56, 1
_WARPS = 32
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
    name, group, stride, inner = LOADERS[loads]
    load_bytes, warp_bytes, storer_bytes = place
    load = OPERATIONS[name](0)
    rows = [
        load.having(operands={**load.operands, "d": 16 + 4 * i, "off": load_bytes * i}, write=i, stall=2)
        for i in range(_LOADS)
    ]
    _, store_group, store_stride, store_inner, apart = STORES[stores]
    begun = _START + 1
    region = [
        *EMPTY_L1,
        clock(_START, stall=4),
        op("BRA", "stores", guard=_STORER, stall=5),
        *rows,
        *[clock(begun + i, stall=2, wait=1 << i) for i in range(_LOADS)],
        op("BRA", "join", stall=5),
        op("NOP", label="stores"),
        *[op("NOP", stall=SAFE)] * turns,
        clock(begun, stall=2),
        *[_store(stores, i, apart) for i in range(count)],
        clock(begun + 1, stall=2),
        *[clock(begun + i, stall=2, wait=0x3F) for i in range(2, _LOADS)],
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]
    address = [
        *lanes_apart(store_stride, store_group, store_inner, 0)[:-1],
        op("LOP3.IMM", 54, 54, 3, RZ, stall=SAFE),
        op("IADD3.IMM", 54, 54, 8, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", _STORED, 54, storer_bytes, GLOBAL, stall=SAFE),
        *lanes_apart(stride, group, inner, warp_bytes),
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IADD3.IMM", 54, 54, storers, RZ, stall=SAFE),
        op("LOP3.IMM", 54, 54, _WARPS, RZ, stall=SAFE),
        op("ISETP", _STORER, 54, RZ, stall=SAFE),
    ]
    when = ("" if turns == EARLY else ", late") + ("" if place == NEAR else ", other pages")
    return Experiment(
        f"beside/{count} {stores} by {storers} beside {loads}{when}",
        region,
        range(_START, begun + _LOADS),
        address,
        (Launch("1", 32 * _WARPS, (1 << _WARPS) - 1, shared=16384),),
        iterations=2,
        sync=True,
        kind="timeline",
    )


def _store(name: str, i: int, apart: int) -> Instruction:
    operation = STORES[name][0]
    if operation == "LDG.32":
        return op("LDG.32", 60, 4, _STORED, 0, write=5, stall=2)
    if operation == "ATOMG.ADD":
        return op("ATOMG.ADD", 60, 4, _STORED, apart * i, 40, write=5, stall=2)
    if operation == "STL":
        return op("STL", LOCAL, 4 * (i % 16), 40, read=5, stall=2)
    if operation == "STS.32":
        return op("STS.32", SHARED, 0, 40, read=5, stall=2)
    one = op(operation, 4, _STORED, apart * i, 40, read=5, stall=2)
    return one.having(guard=~FIRST_LANE) if "of a lane" in name else one
