"""Rows of taken branches by several warps of an SMSP, a clock at every target: who has its target when.

`targets/row to slot S, R cycles between`: each target stands in slot S of a line of its own, and so many cycles lie
between the clock there and the next branch. `... beside NOPs`: the oldest warp runs through NOPs meanwhile.
`targets/parting in slot S`: half of the lanes branch, and the others go on behind the branch from clock to clock.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup

FIRST, TARGETS = 8, 16  # the first clock's register; targets of a row
SLOTS = (0, 2, 5, 6, 7)
RESTS = (2, 3, 4, 5, 6, 8, 11, 15)
FEWER = 8  # targets beside a warp that runs straight on: an SMSP's L0 holds all lines
STRAIGHT = 15 * LINE  # its NOPs
_WARP, _OTHER = 59, 0


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for slot in SLOTS:
        for rest in RESTS:
            yield _row(slot, rest)
    for slot in (0, 5):
        for rest in RESTS:
            for stall in (1, 2, 4):
                yield _beside(slot, rest, stall)
    for slot in range(LINE):
        for stall in (1, 2):
            yield _parting(slot, stall)


def _targets(region: list[Instruction], slot: int, rest: int, count: int) -> None:
    """Append a row of branches, a target every other line, and a branch out of it."""
    region.append(op("BRA", "target0", stall=5))
    for i in range(count):
        region += [op("NOP")] * LINE
        region += up_to(region, slot)
        following = f"target{i + 1}" if i + 1 < count else "out"
        region += [clock(FIRST + i, label=f"target{i}", stall=rest), op("BRA", following, stall=5)]


def _row(slot: int, rest: int) -> Experiment:
    region = [op("NOP", stall=SAFE)]
    _targets(region, slot, rest, TARGETS)
    region.append(op("NOP", stall=SAFE, label="out"))
    return _experiment(
        f"targets/row to slot {slot}, {rest} cycles between",
        region,
        TARGETS,
        (*(smsp_warps(n, shared=16384) for n in range(1, 9)), sm_warps(4, shared=16384)),
    )


def _beside(slot: int, rest: int, stall: int) -> Experiment:
    """Warp 0 runs straight on, its clocks at the ends of its row alone."""
    region = [
        op("SHF.R.IMM", _WARP, RZ, 7, 0, stall=SAFE),
        op("ISETP", _OTHER, _WARP, RZ, stall=SAFE),
        op("BRA", "others", guard=_OTHER, stall=5),
    ]
    straight = [op("NOP", stall=stall)] * STRAIGHT
    for i in range(FEWER):
        straight[i * STRAIGHT // FEWER] = clock(FIRST + i, stall=stall)
    region += [*straight, op("BRA", "out", stall=5)]
    region += up_to(region, 0)
    region.append(op("NOP", stall=SAFE, label="others"))
    _targets(region, slot, rest, FEWER)
    region.append(op("NOP", stall=SAFE, label="out"))
    return _experiment(
        f"targets/row to slot {slot}, {rest} cycles between, beside NOPs of stall {stall}",
        region,
        FEWER,
        tuple(smsp_warps(n, shared=16384) for n in (2, 3, 5, 8)),
    )


def _parting(slot: int, stall: int) -> Experiment:
    region = [
        op("LOP3.IMM", _WARP, 0, 31, RZ, stall=SAFE),
        op("LOP3.P", _OTHER, RZ, _WARP, 1, RZ, stall=SAFE),
        op("BSSY", "join", stall=5),
    ]
    region += [op("NOP", stall=SAFE)] * 2
    region += up_to(region, slot - 1)
    region += [clock(FIRST, stall=2), op("BRA", "join", guard=_OTHER, stall=5)]
    for i in range(1, TARGETS):
        region += [clock(FIRST + i, stall=stall), op("NOP", stall=stall)]
    region += [op("NOP", stall=SAFE), op("BSYNC", stall=5, label="join"), op("NOP", stall=SAFE)]
    return _experiment(
        f"targets/parting in slot {slot}, stall {stall}", region, TARGETS, (smsp_warps(1), smsp_warps(2), sm_warps(1))
    )


def _experiment(name: str, region: list[Instruction], count: int, launches: tuple[Launch, ...]) -> Experiment:
    records = range(FIRST, FIRST + count)
    return Experiment(name, region, records, setup(), launches, iterations=3, sync=True, kind="timeline")
