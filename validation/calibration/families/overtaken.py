"""What a warp that runs straight on, or has just landed and goes on, takes from one of its SMSP that lands behind it.

`overtaken/landed, slot K, stall T, D behind, to slot S`: one warp branches to slot K of a line and goes on with NOPs of
stall count T, or of several, the last of them to the end; the other is sent D cycles later to slot S of a line of its
own. `overtaken/running, ...`: the first comes straight to slot 6 of a line, and goes on. Clocks stand before each
branch, or two instructions before the line's end, at its target and at the row's end.
"""

from collections.abc import Iterator, Sequence

from ..program import LINE, SAFE, Experiment, clock, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .landing import wait
from .operations import setup

FIRST, LATE = 8, 0
STALLS = (2, 4, 8)
SLOTS = (0, 2, 4, 6, 7)
MOST_BEHIND = 22
LOOP = (1, 4, 1)  # how loops begin that NVRTC compiles


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for slot in SLOTS:
        for stall in STALLS:
            for behind in range(MOST_BEHIND):
                yield _pair(slot, stall, behind, 0)
    for to in (4, 7):
        for behind in range(MOST_BEHIND):
            yield _pair(6, 4, behind, to)
    for stall in STALLS:
        for behind in range(8 * stall):
            yield _pair(-1, stall, behind, 0)
    for slot in range(LINE):
        for behind in range(MOST_BEHIND):
            yield _pair(slot, 4, behind, 0, LOOP)


def _pair(slot: int, stall: int, behind: int, to: int, begins: Sequence[int] = ()) -> Experiment:
    branches = slot >= 0
    region = first_of_two()
    if branches:
        region += [clock(FIRST, stall=4), op("BRA", "land", stall=5)]
        region += up_to(region, slot)
    else:
        region += up_to(region, 6)
        region += [clock(FIRST, stall=4), op("NOP", stall=4)]
    stalls = [*begins, *[stall] * (40 - len(begins))]
    region += [clock(FIRST + 1, label="land", stall=stalls[0])]
    region += [op("NOP", stall=one) for one in stalls[1:]]
    first = f"landed, slot {slot}" if branches else "running"
    name = f"overtaken/{first}, stall {' '.join(map(str, [*begins, stall]))}, {behind} behind, to slot {to}"
    return beside(name, region, behind, to)


def first_of_two() -> list[Instruction]:
    """The beginning of a region for `beside`: the first warp waits, the other one goes its own way."""
    return [
        op("SHF.R.IMM", 59, RZ, 7, 0, stall=SAFE),
        op("ISETP", LATE, 59, RZ, stall=SAFE),
        op("BRA", "other", guard=LATE, stall=5),
        *wait(105),
    ]


def beside(name: str, region: list[Instruction], behind: int, to: int, stall: int = 5) -> Experiment:
    """Two warps of an SMSP: the first runs the region, the other is sent ``behind`` cycles later to a line of its own.

    It lands in slot ``to``; its branch has that stall count. Clocks: the first warp's two in the region and one behind
    it, the other's before its branch, at the target and behind a row of NOPs.
    """
    away = [op("NOP", stall=SAFE), op("NOP", stall=SAFE), op("BRA", "out", stall=5)]
    region = [*region, clock(FIRST + 2, stall=4), *away]
    region += up_to(region, 0)
    start, *rest = wait(100 + behind)
    region += [start.having(label="other"), *rest, clock(FIRST, stall=4), op("BRA", "target", stall=stall)]
    region += up_to(region, to)
    region += [clock(FIRST + 1, label="target", stall=2), *[op("NOP", stall=2)] * 12, clock(FIRST + 2, stall=4)]
    region += away
    region += up_to(region, 0)
    region.append(op("NOP", stall=SAFE, label="out"))
    return Experiment(
        name,
        region,
        range(FIRST, FIRST + 3),
        setup(),
        (smsp_warps(2, shared=16384),),
        iterations=3,
        sync=True,
        kind="timeline",
    )
