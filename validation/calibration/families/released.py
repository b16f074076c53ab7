"""Rows of stores that each wait until the one before has read its sources, by one to four SMSPs: when each issues."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, lanes_apart
from .operations import GLOBAL

STORES = 24
REGIONS = 4  # that the stores go around, as far apart as makes no two of them meet
_FIRST = 64
PAUSES = (0, 20, 40)
WIDTHS = {"32": 4, "64": 8, "128": 16}  # bytes
LAUNCHES = (smsp_warps(1), Launch("2 SMSPs", 64, 3), Launch("3 SMSPs", 96, 7), sm_warps(1))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for width, size in WIDTHS.items():
        for pause in PAUSES:
            yield _row(f"STG.{width}", pause, lanes_apart(size, warp_bytes=32 * size), "side by side")
        yield _row(f"STG.{width}", 20, lanes_apart(size, warp_bytes=8 * APART), "warps far apart")
        yield _row(f"STG.{width}", 20, lanes_apart(2 * size, warp_bytes=64 * size), "of every other word")
    yield _row("LDG.32", 20, lanes_apart(4, warp_bytes=128), "side by side")
    yield _row("LDG.128", 20, lanes_apart(16, warp_bytes=512), "side by side")


def _row(name: str, pause: int, prepare: list[Instruction], label: str) -> Experiment:
    region: list[Instruction] = []
    for i in range(STORES):
        offset = APART * (i % REGIONS)
        if name.startswith("STG"):
            access = op(name, 4, GLOBAL, offset, 40, read=1, stall=2)
        else:
            access = op(name, 24, 4, GLOBAL, offset, read=1, write=2, stall=2)
        region += [clock(_FIRST + i, wait=2, stall=4), access]
        region += [op("NOP", wait=2, stall=10)] * (pause // 10)
    region += [clock(_FIRST + STORES, wait=2, stall=4), op("NOP", wait=0x3F, stall=SAFE)]
    return Experiment(
        f"released/{name} {label}, {pause} cycles between",
        region,
        [_FIRST + i for i in range(STORES + 1)],
        prepare,
        LAUNCHES,
        registers=128,
        iterations=3,
        sync=True,
        kind="timeline",
        meta={"count": STORES},
    )
