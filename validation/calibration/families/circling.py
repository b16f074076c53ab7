"""Short loops by several warps of an SMSP: cycles of all trips, by the loop's instructions and its slot in a line."""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op

START, END, TRIPS = 8, 9, 60
LOOP_TRIPS = 64
LENGTHS = (3, 4, 5, 6, 7, 8, 10, 12, 16, 20)  # instructions
SLOTS = (0, 1, 3, 5, 6, 7)
_REACHED = 3  # instructions of a region's first line that come before the region: a block barrier


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for length in LENGTHS:
        for slot in SLOTS:
            for stall in (1, 4) if length > 3 else (1,):
                yield _loop(length, slot, stall)


def _loop(length: int, slot: int, stall: int) -> Experiment:
    region: list[Instruction] = [op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE), clock(START, stall=4)]
    region += [op("NOP")] * ((slot - _REACHED - len(region)) % LINE)
    middle = [op("NOP", stall=stall) for _ in range(length - 3)]
    region += [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5, label="loop"),
        *middle,
        op("ISETP", 1, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=1, stall=5),
        clock(END, stall=4),
    ]
    return Experiment(
        f"circling/{length} from slot {slot}, stall {stall}",
        region,
        [START, END],
        (),
        (
            *(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 5, 6, 8)),
            *(sm_warps(n, shared=16384) for n in (4, 6)),
        ),
        iterations=3,
        sync=True,
        kind="timeline",
    )
