"""Compiled loops of four instructions, by warps of an SMSP that come round together, in each slot of a line.

`convoys/slot S, stall N, yields, T trips`: of few trips, so that the clocks behind 1, 2, 3 ... trips show each warp's
way; all others go round many times.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op

START, END, TRIPS = 8, 9, 60
FEW_TRIPS = range(1, 17)
MANY_TRIPS = 200
# Cycles behind the first instruction and behind the second, so that the third never waits for a result.
STALLS = ((1, 4), (2, 3))
_REACHED = 3  # instructions of a region's first line that come before the region: a block barrier
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
    region: list[Instruction] = [op("MOV.IMM", TRIPS, trips, stall=SAFE), clock(START, stall=4)]
    region += [op("NOP")] * ((slot - _REACHED - len(region)) % LINE)
    region += [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=stalls[0], label="loop"),
        op("FADD", 10, 10, 11, stall=stalls[1], yield_=yields),
        op("ISETP", 1, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=1, stall=5),
        clock(END, stall=4),
    ]
    return Experiment(
        f"convoys/slot {slot}, stall {stalls[0]}, {'yields' if yields else 'stays'}, {trips} trips",
        region,
        [START, END],
        (),
        launches,
        iterations=3,
        sync=True,
        kind="timeline",
    )
