"""Whose turn it is: when each warp of several on an SMSP issues the n-th instruction of a row.

One warp is watched: its row ends behind the n-th instruction with a clock read, the rows of the others go on. Nothing
is changed that could delay the n-th instruction; a program per watched warp gives every issue of every warp.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import OPERATIONS, VARIABLE, setup
from .stopwatch import REGISTERS, RESULTS

NAMES = ("IMAD", "HFMA2", "HFMA2.MMA", "DADD", "IADD3", "UIADD3", "MUFU.RCP", "LDS.32", "FMUL", "IMAD.WIDE")
STALLS = (1, 2, 3, 4)
WARPS = (1, 2, 3, 4, 8)
FIRST, LAST = range(1, 13), range(13, 25)  # two programs each: the level-0 instruction cache must hold one
LONG = 32
_START, _END = 60, 61


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name in NAMES:
        for stall in STALLS:
            for part in (FIRST, LAST):
                for watched in (0, 1, 2, 3, 7):
                    launches = tuple(smsp_warps(n, shared=16384) for n in WARPS if n > watched)
                    yield _watched(name, stall, part, watched, launches)


def _row(name: str, count: int, stall: int) -> list[Instruction]:
    return [OPERATIONS[name](i).having(stall=stall) for i in range(count)]


def _together(label: str) -> list[Instruction]:
    """All warps wait for each other; the branch waits for the barrier, as the next instruction would not."""
    return [
        op("BAR.SYNC", stall=8),
        op("BRA", label, stall=5),
        op("NOP", stall=SAFE, label=label),
        clock(_START, stall=4),
    ]


def _watched(name: str, stall: int, part: range, watched: int, launches: tuple[Launch, ...]) -> Experiment:
    """Records: for each length of the row, when the watched warp's clock read behind it issued, since its start."""
    region: list[Instruction] = []
    drain = [OPERATIONS[name](0).having(write=0, stall=2)] if name in VARIABLE else []
    for number, count in enumerate(part):
        region += [op("BRA", f"others{count}", guard=1, stall=5), *_together(f"watched{count}")]
        region += [*_row(name, count, stall), clock(_END, stall=SAFE)]
        region += [op("IMAD.IMM", RESULTS[number], _START, -1, _END, stall=SAFE), op("BRA", f"met{count}", stall=5)]
        others = _together(f"gone{count}")
        region += [op("NOP", label=f"others{count}"), *others, *_row(name, LONG, stall)]
        region += [op("NOP", stall=SAFE, label=f"met{count}"), *drain, op("NOP", stall=SAFE, wait=0x3F)]
    mine = [
        op("SHF.R.IMM", 59, RZ, 7, 0, stall=SAFE),  # the warps of the SMSP are four apart
        op("MOV.IMM", 58, watched, stall=SAFE),
        op("ISETP", 1, 59, 58, stall=SAFE),
        op("NOP", stall=SAFE),
    ]
    return Experiment(
        f"turns/{name} stall {stall}, warp {watched}, from {part.start}",
        region,
        RESULTS[: len(part)],
        [*setup(name), *mine],
        launches,
        registers=REGISTERS,
        iterations=3,
        sync=True,
        kind="cycles",
        meta={"watched": watched, "counts": list(part)},
    )
