"""Short loops by several warps of an SMSP: cycles of all trips, by the loop's instructions and its slot in a line."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op

START, END, TRIPS = 8, 9, 60
LOOP_TRIPS = 64
LENGTHS = (3, 4, 5, 6, 7, 8, 10, 12, 16, 20)  # instructions
SLOTS = (0, 1, 3, 5, 6, 7)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for length in LENGTHS:
        for slot in SLOTS:
            for stall in (1, 4) if length > 3 else (1,):
                yield _loop(length, slot, stall)


def _loop(length: int, slot: int, stall: int) -> Experiment:
    body = [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5, label="loop"),
        *[op("NOP", stall=stall) for _ in range(length - 3)],
    ]
    launches = (
        *(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 5, 6, 8)),
        *(sm_warps(n, shared=16384) for n in (4, 6)),
    )
    return loop(f"circling/{length} from slot {slot}, stall {stall}", slot, body, LOOP_TRIPS, launches)


def loop(name: str, slot: int, body: list[Instruction], trips: int, launches: Sequence[Launch]) -> Experiment:
    """So many trips round a loop that begins in a slot of a line, between two clocks.

    Its body begins at the label "loop" and counts TRIPS down; a comparison and the branch back end it.
    """
    region: list[Instruction] = [op("MOV.IMM", TRIPS, trips, stall=SAFE), clock(START, stall=4)]
    region += up_to(region, slot)
    region += [
        *body,
        op("ISETP", 1, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=1, stall=5),
        clock(END, stall=4),
    ]
    return Experiment(name, region, [START, END], (), launches, iterations=3, sync=True, kind="timeline")
