"""Branches close behind an instruction that waits at the dispatcher, of the same warp or of another: when they land.

`stopped/WHAT, own, D behind, stall S`: a warp's branch, of stall count S, issues D cycles behind what waits.
`stopped/WHAT, D behind, stall S`: it is another warp's of the SMSP, sent off so many cycles later. Clocks stand before
the branch and at its target.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, smsp_warps, up_to
from ..sass import RZ, op
from .operations import setup
from .overtaken import FIRST, beside, first_of_two

PACE = 13  # the stall count of the warp beside, so that it is seldom in the way
WAITING = {
    "nothing": [op("NOP")],
    "IMAD.WIDE": [op("IMAD.WIDE", 28, 40, 41, RZ)],
    "two IMAD.WIDE": [op("IMAD.WIDE", 28, 40, 41, RZ, stall=4), op("IMAD.WIDE", 30, 40, 41, RZ)],
    "FFMA of a bank": [op("FFMA", 28, 40, 42, 44)],
    "two FFMA of a bank": [op("FFMA", 28, 40, 42, 44), op("FFMA", 29, 40, 42, 44)],
    "DSETP, ISETP": [op("DSETP", 1, 40, 42), op("ISETP", 2, 40, RZ)],
    "HFMA2.MMA, HFMA2": [op("HFMA2.MMA", 28, 40, 41, 40, stall=2), op("HFMA2", 29, 40, 41, 40)],
    "HFMA2.MMA, FFMA": [op("HFMA2.MMA", 28, 40, 41, 40, stall=2), op("FFMA", 29, 40, 41, 40)],
}
STALLS = (5, 10)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for what in WAITING:
        for stall in STALLS:
            for behind in range(32, 50):
                yield _beside(what, behind, stall)
            for behind in range(1, 9):
                yield _own(what, behind, stall)


def _own(what: str, behind: int, stall: int) -> Experiment:
    *first, last = WAITING[what]
    region = [op("NOP", stall=SAFE)] * 7
    region += [clock(FIRST, stall=4), *first, last.having(stall=behind), op("BRA", "target", stall=stall)]
    region += up_to(region, 0)
    region += [clock(FIRST + 1, label="target", stall=4), op("NOP", stall=SAFE)]
    return Experiment(
        f"stopped/{what}, own, {behind} behind, stall {stall}",
        region,
        (FIRST, FIRST + 1),
        setup(),
        (smsp_warps(1, shared=16384),),
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _beside(what: str, behind: int, stall: int) -> Experiment:
    *first, last = WAITING[what]
    region = first_of_two()
    region += up_to(region, 6)
    region += [clock(FIRST, stall=4), op("NOP", stall=4), clock(FIRST + 1, stall=PACE), op("NOP", stall=PACE)]
    region += [*first, last.having(stall=PACE), *[op("NOP", stall=PACE)] * 5]
    return beside(f"stopped/{what}, {behind} behind, stall {stall}", region, behind, 0, stall)
