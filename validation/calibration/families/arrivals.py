"""Bursts of loads that miss L1 and hit L2: when the data of each are there, by warps, lines and paces.

`arrivals/alone`: one load at a time, of the same lines.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import EMPTY_L1, lanes_apart
from .operations import GLOBAL, access_bytes

_START, _LOADED = 8, 24  # records: the row begins; then one for each group of loads. Registers of the first load's data
_BARRIERS = 6
_ALONE, _ALONE_LINES = 36, 504
LAUNCHES = (smsp_warps(1), smsp_warps(8), *(sm_warps(n) for n in (1, 2, 4, 8)))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, counts in (("LDG.32", (1, 2, 4, 8, 16)), ("LDG.64", (2, 4, 8)), ("LDG.128", (1, 2, 4))):
        for count in counts:
            yield _burst(name, count)
    for pause in (8, 16, 32, 64):
        yield _burst("LDG.32", 8, pause=pause)
    for count in (4, 8):
        yield _burst("LDG.32", count, apart=1 << 18)
        yield _burst("LDG.32.GPU", count)
    yield _burst("LDG.32", 4, iterations=1)
    yield _burst("LDG.32", 8, iterations=1)
    for first in range(0, _ALONE_LINES, _ALONE):
        yield _alone(first)


def _burst(name: str, count: int, pause: int = 0, apart: int = 0, iterations: int = 3) -> Experiment:
    bytes_ = 32 * access_bytes(name)
    row: list[Instruction] = []
    for i in range(count):
        group = i * _BARRIERS // count if count > _BARRIERS else i
        address = i * (4096 if apart else 32 * bytes_)
        width = bytes_ // 128
        row.append(op(name, _LOADED + width * i, 4, GLOBAL, address, write=group, stall=2))
        row += [op("NOP", stall=8)] * (pause // 8)
    groups = min(count, _BARRIERS)
    label = f"arrivals/{count} {name}"
    label += f", {pause} cycles apart" * bool(pause) + ", warps apart" * bool(apart) + ", once" * (iterations == 1)
    return Experiment(
        label,
        [
            *EMPTY_L1,
            clock(_START, stall=4),
            *row,
            *[clock(_START + 1 + i, stall=2, wait=1 << i) for i in range(groups)],
            op("NOP", wait=0x3F, stall=SAFE),
        ],
        range(_START, _START + 1 + groups),
        lanes_apart(0, 5, access_bytes(name), apart or bytes_),
        LAUNCHES,
        registers=64,
        iterations=iterations,
        sync=True,
        kind="timeline",
    )


def _alone(first: int) -> Experiment:
    row: list[Instruction] = []
    for i in range(_ALONE):
        row += [
            op("LDG.32", 46, 4, GLOBAL, 128 * (first + i), write=0, stall=2),
            clock(_START + 1 + i, stall=SAFE, wait=1),
        ]
    return Experiment(
        f"arrivals/alone, from line {first}",
        [*EMPTY_L1, clock(_START, stall=SAFE), *row, op("NOP", wait=0x3F, stall=SAFE)],
        range(_START, _START + 1 + _ALONE),
        lanes_apart(0, 5, 4, 128),
        iterations=3,
        kind="timeline",
    )
