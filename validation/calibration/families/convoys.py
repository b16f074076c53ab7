"""Compiled loops of four instructions, by warps of an SMSP that come round together, in each slot of a line.

`convoys/slot S, stall N, yields, T trips`: of few trips, so that the clocks behind 1, 2, 3 ... trips show each warp's
way; all others go round many times.
"""

from collections.abc import Iterator

from ..program import LINE, Experiment, Launch, sm_warps, smsp_warps
from ..sass import RZ, op
from .circling import TRIPS, loop

FEW_TRIPS = range(1, 17)
MANY_TRIPS = 200
# Cycles behind the first instruction and behind the second, so that the third never waits for a result.
STALLS = ((1, 4), (2, 3))
_WARPS = tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 5, 6, 8))
_SM = (sm_warps(4, shared=16384), sm_warps(8, shared=16384))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for trips in FEW_TRIPS:
        yield _loop(0, STALLS[0], True, trips, _WARPS)
    for slot in range(LINE):
        for stalls in STALLS:
            for yields in (True, False):
                yield _loop(slot, stalls, yields, MANY_TRIPS, _WARPS + _SM)


def _loop(slot: int, stalls: tuple[int, int], yields: bool, trips: int, launches: tuple[Launch, ...]) -> Experiment:
    body = [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=stalls[0], label="loop"),
        op("FADD", 10, 10, 11, stall=stalls[1], yield_=yields),
    ]
    name = f"convoys/slot {slot}, stall {stalls[0]}, {'yields' if yields else 'stays'}, {trips} trips"
    return loop(name, slot, body, trips, launches)
