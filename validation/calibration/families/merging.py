"""Bursts of stores that complete each other's sectors, by distance in time, in stores between, and by warp."""

from collections.abc import Iterator

from ..program import Experiment, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import APART, LAUNCHES, burst, lanes_apart
from .operations import GLOBAL

WIDTHS = {"STG.32": 4, "STG.64": 8, "STG.128": 16}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, width in WIDTHS.items():
        for stride in (8, 16, 32, 64, 128):
            for count in (1, 2, 4, 8, 16, 32):
                if count * width > stride:
                    continue
                words = [_store(name, width * i) for i in range(count)]
                label = f"{count} {name} side by side, {stride} bytes a lane"
                yield burst(f"merging/{label}", words, lanes_apart(stride), fence=True)
                if stride > 32 and count > 1:
                    order = [words[i * 5 % count] for i in range(count)]
                    yield burst(f"merging/{label}, mixed", order, lanes_apart(stride), fence=True)
    for stride in (36, 68, 132, 136, 144, 260, 4100):
        for count in (1, 4, 16):
            row = [_store("STG.32", APART * i) for i in range(count)]
            yield burst(f"merging/{count} STG.32, {stride} bytes a lane", row, lanes_apart(stride), fence=True)
    yield from _apart_in_time()
    yield from _others_between()
    yield from _by_warp()


def _store(name: str, offset: int) -> Instruction:
    return op(name, 4, GLOBAL, offset, 40, stall=2)


def _apart_in_time() -> Iterator[Experiment]:
    for gap in (8, 16, 32, 64, 128, 256, 512):
        for stride, count in ((32, 8), (64, 16)):
            row: list[Instruction] = []
            for i in range(count):
                row += [_store("STG.32", 4 * i), *[op("NOP", stall=8)] * (gap // 8)]
            yield burst(
                f"merging/{count} STG.32 side by side, {stride} bytes a lane, {gap} cycles apart",
                row,
                lanes_apart(stride),
                fence=True,
            )


def _others_between() -> Iterator[Experiment]:
    """So many areas in turn, a word of each sector at a time."""
    for areas in (1, 2, 3, 4, 6, 8, 12, 16):
        for stride, count in ((8, 2), (16, 4), (32, 8)):
            row = [_store("STG.32", APART * area + 4 * i) for i in range(count) for area in range(areas)]
            yield burst(
                f"merging/{count} STG.32 side by side of {areas} areas, {stride} bytes a lane",
                row,
                lanes_apart(stride),
                fence=True,
            )
    for lines in (1, 2, 4, 8, 16, 32):
        row = [_store("STG.32", APART * area + 64 * half) for half in range(2) for area in range(lines)]
        yield burst(f"merging/half lines of {lines} areas", row, lanes_apart(4, 1, 0), fence=True)


def _by_warp() -> Iterator[Experiment]:
    """Each warp stores another word of the same sectors."""
    launches = (*LAUNCHES, smsp_warps(2), sm_warps(3))
    for stride in (16, 32, 64, 128):
        for areas in (1, 2, 4, 8, 16):
            row = [_store("STG.32", APART * area) for area in range(areas)]
            yield burst(
                f"merging/a word of each warp, {areas} areas, {stride} bytes a lane",
                row,
                lanes_apart(stride, 0, 0, 4),
                fence=True,
                launches=launches,
            )
