"""Who gets the next place in a full queue: a warp that has issued much, beside one that waits with less.

`found/KIND, stall S, D behind`: the row's warp waits for each place; the other's instruction comes S cycles behind a
NOP, which issues D cycles behind a clock, in every cycle between two places. It has issued more than the row's warp, so
it goes first only if it keeps its turn.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, up_to
from ..sass import RZ, Instruction, op
from .landing import wait
from .operations import OPERATIONS, setup

KINDS = ("LDC", "S2UR.CTAID", "MUFU.RCP")
STALLS = (1, 2, 4, 6, 8, 11, 15)
BEHIND = range(4, 12)
ROW, CLOCKS = 8, 14
BEFORE, DONE = ROW + CLOCKS, ROW + CLOCKS + 1
WARP, INDEX, SMSP = 57, 58, 59
FILL, OTHERS = 12, 150
ROW_BEGINS, COMES = 300, 420
BUSY = 32  # NOPs
# Warp 4 is on SMSP 0 beside warp 0; the others' rows keep the ADU busy.
LAUNCH = Launch("all", 256, 0b11111, shared=16384)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in KINDS:
        for stall in STALLS:
            for behind in BEHIND:
                yield _program(kind, stall, behind)


def _program(kind: str, stall: int, behind: int) -> Experiment:
    region = [
        op("SHF.R.IMM", WARP, RZ, 5, 0, stall=SAFE),
        op("SHF.R.IMM", INDEX, RZ, 7, 0, stall=SAFE),
        op("SHF.L.IMM", SMSP, WARP, 30, RZ, stall=SAFE),
        op("ISETP", 0, SMSP, RZ, stall=SAFE),
        op("ISETP", 1, INDEX, RZ, stall=SAFE),
        op("BRA", "first", guard=~0, stall=5),
        *wait(ROW_BEGINS - 50),
        *([] if kind == "MUFU.RCP" else _row(kind, OTHERS)),
        *[clock(ROW + i, stall=4) for i in range(CLOCKS + 2)],
        op("BRA", "out", stall=5),
    ]
    region += up_to(region, 0)
    region += [op("NOP", stall=SAFE, label="first"), op("BRA", "other", guard=1, stall=5)]
    region += up_to(region, 0)
    region += [*_waits(ROW_BEGINS), *_row(kind, FILL)]
    for i in range(CLOCKS):
        region += [OPERATIONS[kind](i).having(stall=2), clock(ROW + i, stall=2)]
    region += [clock(BEFORE, stall=2), clock(DONE, stall=2), op("NOP", stall=SAFE), op("BRA", "out", stall=5)]
    region += up_to(region, 0)
    region += [op("NOP", stall=SAFE, label="other"), *_waits(COMES - 2 * BUSY), *[op("NOP", stall=2)] * BUSY]
    region += [clock(BEFORE, stall=behind), op("NOP", stall=stall), OPERATIONS[kind](0).having(stall=2)]
    region += [clock(DONE, stall=2), *[op("NOP", stall=SAFE)] * 16]
    region += [*[clock(ROW + i, stall=4) for i in range(CLOCKS)], op("NOP", stall=SAFE)]
    region += up_to(region, 0)
    region += [op("NOP", stall=SAFE, label="out"), *[op("NOP", stall=SAFE)] * 6]
    return Experiment(
        f"found/{kind}, stall {stall}, {behind} behind",
        region,
        range(ROW, ROW + CLOCKS + 2),
        setup(),
        (LAUNCH,),
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _row(kind: str, count: int) -> list[Instruction]:
    return [OPERATIONS[kind](i).having(stall=2) for i in range(count)]


def _waits(cycles: int) -> list[Instruction]:
    """NOPs of few more than all take, the longest ones first."""
    count = -(-cycles // SAFE)
    short = SAFE * count - cycles
    return [op("NOP", stall=SAFE - short // count - (i < short % count)) for i in range(count)]
