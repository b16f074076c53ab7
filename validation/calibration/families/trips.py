"""Loops around a dependent chain by two to four warps of an SMSP: when each warp has gone round so many times.

`trips/CHAIN x LINKS, TRIPS`: as NVRTC compiles the catalogue's chains, the counter and its comparison between the first
links. Clocks stand before and behind the loop; "first" programs run it once, with nothing in the L0, others go through
it three times and record the last.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup

CHAINS = {
    "HFMA2, HFMA2.MMA": (("HFMA2", 6), ("HFMA2.MMA", 10)),
    "FFMA": (("FFMA", 4),),
}
LINKS = (128, 64, 24)
TRIPS = (1, 2, 3, 4, 5, 6, 8, 12, 16)
FROM_SLOT = 6
_CLOCK, _CHAIN, _TRIPS = 8, 25, 60


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for chain in CHAINS:
        for links in LINKS:
            for trips in TRIPS:
                for first in (True, False):
                    yield _loop(chain, links, trips, first)


def _loop(chain: str, links: int, trips: int, first: bool) -> Experiment:
    kinds = CHAINS[chain]
    row = [
        op(kinds[i % len(kinds)][0], _CHAIN, _CHAIN, 40, 41, stall=kinds[i % len(kinds)][1], yield_=True)
        for i in range(links)
    ]
    row[0] = row[0].having(stall=1, yield_=False, label="loop")
    row.insert(1, op("IADD3.IMM", _TRIPS, _TRIPS, -1, RZ, stall=4, yield_=True))
    row.insert(2, op("ISETP", 1, _TRIPS, RZ, stall=1))
    row[-1] = row[-1].having(stall=1, yield_=False)
    region: list[Instruction] = [op("MOV.IMM", _TRIPS, trips, stall=SAFE), clock(_CLOCK, stall=4)]
    region += up_to(region, FROM_SLOT)
    region += [*row, op("BRA", "loop", guard=1, stall=10), clock(_CLOCK + 1, stall=4)]
    return Experiment(
        f"trips/{chain} x {links}, {trips}{', first' if first else ''}",
        region,
        (_CLOCK, _CLOCK + 1),
        setup(),
        (*(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4)), sm_warps(4, shared=16384), sm_warps(8, shared=16384)),
        iterations=1 if first else 3,
        sync=True,
        kind="timeline",
    )
