"""Rows of fences, each behind a store, by many warps: which of them one flush serves, and when the next begins.

Each round has three clocks: when it begins, when the MEMBAR's ERRBAR (or, within the block, its read barrier) lets the
warp go on, and when what stands behind does.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, setup

ROUNDS = 8
PAUSES = (0, 300, 700)  # cycles between two rounds
LATER = (20, 60, 120)  # cycles, about, from one warp's first round to the next warp's
LAUNCHES = (Launch("1"), smsp_warps(2), smsp_warps(4), smsp_warps(8), *(sm_warps(n) for n in (1, 2, 3, 4, 6, 8)))
_FIRST = 8
_TURNS, _WARP = 60, 61


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for pause in PAUSES:
        yield _row(f"flushes/GPU, pause {pause}", _within_gpu(), pause)
        yield _row(f"flushes/CTA, pause {pause}", _within_block(), pause)
    for later in LATER:
        yield _row(f"flushes/GPU, warps {later} later", _within_gpu(), 0, later)
    yield _row("flushes/GPU without stores", _within_gpu()[1:], 0)
    yield _row("flushes/GPU without CGAERRBAR", _within_gpu()[:3], 0)


def _within_gpu() -> list[Instruction]:
    return [
        _store(),
        op("MEMBAR.GPU", stall=6),
        op("ERRBAR", stall=0),
        op("CGAERRBAR", stall=6),
        op("CCTL.IVALL", stall=2),
    ]


def _within_block() -> list[Instruction]:
    return [_store(), op("MEMBAR.CTA", read=0, stall=6)]


def _store() -> Instruction:
    return op("STG.32", 4, GLOBAL, 0, RZ, stall=2)


def _row(label: str, piece: list[Instruction], pause: int, later: int = 0) -> Experiment:
    held = 1 + max(i for i, one in enumerate(piece) if "MEMBAR" in one.name or one.name == "ERRBAR")
    region: list[Instruction] = []
    if later:
        region += [
            op("IADD3.IMM", _TURNS, _WARP, 0, RZ, stall=SAFE),
            op("NOP", stall=SAFE, label="later"),
            op("IADD3.IMM", _TURNS, _TURNS, -1, RZ, stall=later - 15 if later < 30 else 15),
            *[op("NOP", stall=15)] * ((later - 30) // 15),
            op("ISETP", 4, _TURNS, RZ, stall=13),
            op("BRA", "later", guard=4, stall=5),
        ]
    for i in range(ROUNDS):
        first = _FIRST + 3 * i
        region += [clock(first, stall=4), *piece[:held], clock(first + 1, wait=1, stall=2)]
        region += [*piece[held:], clock(first + 2, stall=2), *[op("NOP", stall=10)] * (pause // 10)]
    return Experiment(
        label,
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(_FIRST, _FIRST + 3 * ROUNDS),
        [
            *setup("STG.32"),
            op("SHF.R.IMM", _TURNS + 1, RZ, 5, 0, stall=SAFE),
            op("IADD3.IMM", _TURNS + 1, _TURNS + 1, 1, RZ, stall=SAFE),
        ],
        LAUNCHES,
        registers=64,
        iterations=3,
        sync=True,
        kind="timeline",
    )
