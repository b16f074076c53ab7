"""Whose instruction the ADU takes next: LDCs or S2URs of one SMSP while warps of others have rows of LDCs.

`probed/N KIND, D behind`: a warp of SMSP 1 reads N of them, sent off D cycles later; clocks stand before the first and
behind each. The others have a clock behind every second LDC. What is no such clock is read where nothing waits for it.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock, up_to
from ..sass import RZ, Instruction, op
from .landing import wait
from .operations import setup

START, DONE, ROW, SMSP, OTHER = 8, 9, 16, 59, 0
LDCS, MOST = 24, 3
KINDS = ("LDC", "S2UR")
# Warps that take part: bit w of the mask, on SMSP w % 4.
LAUNCHES = {"S0": 0b11, "S0 twice": 0b10011, "S0 S2": 0b111, "S0 S2 S3": 0b1111, "all twice": 0b11011111}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in KINDS:
        for behind in range(0, 44, 2):
            yield _probe(1, kind, behind)
        for behind in range(1, 44, 3):
            yield _probe(MOST, kind, behind)


def _one(kind: str, i: int) -> Instruction:
    if kind == "LDC":
        return op("LDC", 40 + i, DATA, stall=2, write=i)
    return op("S2UR.CTAID", 8 + i, stall=2, write=i)


def _probe(count: int, kind: str, behind: int) -> Experiment:
    region = [
        op("SHF.R.IMM", SMSP, RZ, 5, 0, stall=SAFE),
        op("SHF.L.IMM", SMSP, SMSP, 30, RZ, stall=SAFE),
        op("SHF.R.IMM", SMSP, RZ, 30, SMSP, stall=SAFE),
        op("IADD3.IMM", SMSP, SMSP, -1, RZ, stall=SAFE),
        op("ISETP", OTHER, SMSP, RZ, stall=SAFE),
        op("BRA", "row", guard=OTHER, stall=5),
        *wait(120 + behind),
        clock(START, stall=2),
        *[_one(kind, i) for i in range(count)],
        *[clock(DONE + i, wait=1 << i if i < count else 0, stall=SAFE) for i in range(MOST)],
        *[clock(ROW + i, stall=4) for i in range(LDCS // 2)],
        op("BRA", "out", stall=5),
    ]
    region += up_to(region, 0)
    region += [op("NOP", stall=SAFE, label="row"), *[clock(DONE + i, stall=4) for i in range(MOST)]]
    region += [*wait(100), clock(START, stall=2)]
    for i in range(LDCS):
        region.append(op("LDC", 40 + i % 8, DATA, stall=2))
        if i % 2 == 1:
            region.append(clock(ROW + i // 2, stall=2))
    region += [op("NOP", stall=SAFE)] * 20
    region += up_to(region, 0)
    region += [op("NOP", stall=SAFE, label="out"), *[op("NOP", stall=SAFE)] * 40]
    return Experiment(
        f"probed/{count} {kind}, {behind} behind",
        region,
        (START, *range(DONE, DONE + MOST), *range(ROW, ROW + LDCS // 2)),
        setup(),
        tuple(Launch(label, 256, mask, shared=16384) for label, mask in LAUNCHES.items()),
        iterations=3,
        sync=True,
        kind="timeline",
    )
