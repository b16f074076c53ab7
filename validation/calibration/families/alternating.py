"""Loads of 1 to 4 lines and stores of what they load in turn, by up to 24 warps: what does a pair take?

As in loops of generated programs: each warp loads, waits, stores what it has loaded to another line and goes on to its
next load. The loads hit L1, or each misses; the stores go to lines that L1 has, where they are stored to the second
time.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, DONE, EMPTY_L1, ISSUED, RECORDS, START, lanes_apart
from .operations import GLOBAL

LOADED = 56  # the address of loads
AHEAD = 8 << 20  # bytes before these
TURNS = 16
PLACES = 4  # that are stored to, and loaded from where loads hit, in turn
# name -> width in bytes, bytes from lane to lane
LOADS = {"LDG.32": (4, 4), "LDG.32 of 4 lines": (4, 16), "LDG.128": (16, 16)}
STORES = {"no store": (0, 4), "STG.32": (4, 4), "STG.64": (8, 8), "STG.128": (16, 16), "STG.32 of 4 lines": (4, 16)}
BETWEEN = 512  # bytes between the places of a warp
LAUNCHES = (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 4, 6)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for loads in LOADS:
        for stores in STORES:
            for hits in (True, False):
                yield _experiment(loads, stores, hits)


def _experiment(loads: str, stores: str, hits: bool) -> Experiment:
    load, store = f"LDG.{8 * LOADS[loads][0]}", f"STG.{8 * STORES[stores][0]}"

    def loaded(i: int) -> Instruction:
        return op(load, 24, 4, LOADED, BETWEEN * (i % PLACES if hits else i), write=0, stall=2)

    ahead = [loaded(i) for i in range(PLACES)] if hits else []
    region = [*EMPTY_L1, *ahead, op("NOP", wait=0x3F, stall=SAFE), clock(START, stall=4)]
    for i in range(TURNS):
        region.append(loaded(i))
        if STORES[stores][0]:
            region.append(op(store, 4, GLOBAL, BETWEEN * (i % PLACES), 24, wait=1, stall=2))
        else:
            region.append(op("NOP", wait=1, stall=2))
    region += [clock(ISSUED, stall=2), loaded(TURNS), clock(DONE, stall=4, wait=1), op("NOP", wait=0x3F, stall=SAFE)]
    own = [
        op("MOV", LOADED, GLOBAL, stall=SAFE),
        op("MOV", LOADED + 1, GLOBAL + 1, stall=SAFE),
        op("MOV.IMM", 54, AHEAD, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", LOADED, 54, 1, LOADED, stall=SAFE),
    ]
    lanes = [lanes_apart(one[1], 0, 0, warp_bytes=4 * APART) for one in (LOADS[loads], STORES[stores])]
    return Experiment(
        f"alternating/{loads}, {'hits' if hits else 'misses'}, {stores}",
        region,
        RECORDS,
        [*lanes[0], *own, *lanes[1]],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )
