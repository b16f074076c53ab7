"""WARPSYNC.EXCLUSIVE, at which the lanes of a warp go on one mask after the other: when the first ones do, and all."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock
from ..sass import RZ, Instruction, op
from .groups import LAUNCH, row
from .operations import setup

CLOCKS = range(8, 12)
GROUPS = (1, 2, 4, 8, 16, 32)
OWN, MASK = 56, 60


def experiments() -> Iterator[Experiment]:
    """Yield one program per number of masks and of what each group executes alone before all join."""
    for groups in GROUPS:
        for length in (0, 4, 16):
            yield _experiment(f"{groups} masks, {length} FMUL", groups, row(length))
        yield _experiment(f"{groups} masks, REDUX", groups, _reduction())


def _reduction() -> list[Instruction]:
    return [op("REDUX.SUM", 16, 40, write=0, stall=2), op("NOP", wait=1, stall=2)]


def _experiment(name: str, groups: int, body: list[Instruction]) -> Experiment:
    """Every lane names those of its group, each so-manieth lane."""
    region = [
        op("LOP3.IMM", OWN, 0, groups - 1, RZ, stall=SAFE),
        op("MOV.IMM", MASK, sum(1 << lane for lane in range(0, 32, groups)), stall=SAFE),
        op("SHF", MASK, MASK, OWN, RZ, stall=SAFE),
        op("NOP", stall=SAFE),
        op("BSSY", "join", stall=5),
        clock(CLOCKS[0], stall=2),
        op("WARPSYNC.EXCLUSIVE", MASK, stall=5),
        clock(CLOCKS[1], stall=2),
        *body,
        clock(CLOCKS[2], stall=2),
        op("BSYNC", stall=5, label="join"),
        clock(CLOCKS[3], stall=2),
        op("NOP", stall=SAFE),
    ]
    return Experiment(f"exclusive/{name}", region, CLOCKS, setup(), LAUNCH, kind="path")
