"""L1 as a cache: its sets and ways, its size beside shared memory, the order of replacement, its sectors.

A probe is one load of 32 bytes or less: about 35 cycles where L1 holds the sector, 270 and more where it does not.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch
from ..sass import Instruction, op
from .burst import EMPTY_L1_ALONE
from .operations import GLOBAL, OPERATIONS, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch
from .walk import timed_turns, walk

STRIDES = tuple(128 << k for k in range(12))
COUNTS = (8, 32, 48)
WALKS = range(4, 260, 4)  # KB
SHARED = (0, 8, 32, 64, 100, 132, 164, 227)  # KB
CARVEOUTS = (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)  # KB of shared memory asked for, without using any
LARGEST_SHARED = 228
SPARSE_STRIDES = (256, 1024, 4096, 65536)
SPARSE_LINES = (64, 128, 192, 208, 224, 240, 256, 384, 512, 768, 1024, 1280, 1536, 1664, 1728, 1792, 2048)
WINDOW = 48
START, END = 8, 9
FURTHEST = 8 << 20  # an access reaches that many bytes from its address register
_WALK_LINES = 32
_SCRATCH = 59


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _sets()
    yield from _walks()
    yield from _sparse_walks()
    for lines in (160, 176, 192, 208, 224, 256):
        for first in range(0, lines, WINDOW):
            for stride in (128, 4096):
                yield _window(lines, first, stride)
    yield from _sectors()


def _load(offset: int) -> Instruction:
    return op("LDG.32", 40, 4, GLOBAL, offset, write=0, stall=2)


def _touch(offsets: Sequence[int]) -> list[Instruction]:
    """Load one after the other, each when the one before has come."""
    return [_load(offset).having(wait=1) for offset in offsets] + [op("NOP", wait=1, stall=SAFE)]


def probes(name: str, touched: Sequence[int], probed: Sequence[int]) -> Experiment:
    """Empty L1, touch lines in turn, then time one load of each probed address; the records are those times."""
    region = [*EMPTY_L1_ALONE, *_touch(touched)]
    for register, offset in zip(RESULTS, probed, strict=False):
        region += stopwatch(register, [_load(offset)], wait=1)
    return probing(name, region, len(probed))


def probing(name: str, region: Sequence[Instruction], count: int) -> Experiment:
    """Return the program of a region that times so many probes, one result register after the other."""
    return Experiment(
        name,
        region,
        RESULTS[:count],
        setup(lane_stride=0),
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
    )


def _sets() -> Iterator[Experiment]:
    """N lines a stride apart, touched twice, then probed in the same or the opposite order."""
    for stride in STRIDES:
        for count in COUNTS:
            if stride * count > FURTHEST:
                continue
            lines = [stride * i for i in range(count)]
            yield probes(f"l1/{count} lines {stride} apart, again", [*lines, *lines], lines)
            yield probes(f"l1/{count} lines {stride} apart, backwards", lines, lines[::-1])


def _walks() -> Iterator[Experiment]:
    """One warp walks so many KB line by line, again and again: the time of the last walk."""
    launches = tuple(Launch(f"{kilobytes} KB shared", shared=kilobytes << 10) for kilobytes in SHARED)
    launches += tuple(
        Launch(f"carveout {kilobytes} KB", carveout=kilobytes * 100 // LARGEST_SHARED) for kilobytes in CARVEOUTS
    )
    for kilobytes in WALKS:
        yield walk(f"l1/walk {kilobytes} KB", kilobytes, _WALK_LINES, launches)


def _sparse_walks() -> Iterator[Experiment]:
    """So many lines a stride apart, again and again: does only their number count?"""
    launches = (Launch("all L1", carveout=0), Launch("least L1", carveout=100))
    per_turn = 16
    for stride in SPARSE_STRIDES:
        for lines in SPARSE_LINES:
            turns = lines // per_turn
            loads = [op("LDG.32", 10 + i % 4, 4, GLOBAL, stride * i, stall=2) for i in range(per_turn)]
            loads[-1] = loads[-1].having(write=0)
            region = timed_turns(loads, turns, stride * per_turn, op("NOP", wait=1, stall=SAFE))
            yield Experiment(
                f"l1/{lines} lines {stride} apart, walk",
                region,
                [START, END],
                [*setup(lane_stride=0), op("MOV.IMM", 14, 1, stall=SAFE)],
                launches,
                iterations=3,
                meta={"count": lines},
            )


def _window(lines: int, first: int, stride: int) -> Experiment:
    """Which of so many lines L1 holds, walked again and again where L1 is smallest; `WINDOW` of them recorded."""
    touches = _touch([stride * i for i in range(lines)])
    region = [*touches, *touches]
    recorded = range(first, min(first + WINDOW, lines))
    for i in range(lines):
        register = RESULTS[i - first] if i in recorded else _SCRATCH
        region += stopwatch(register, [_load(stride * i)], wait=1)
    return Experiment(
        f"l1/which of {lines} lines {stride} apart, from {first}",
        region,
        RESULTS[: len(recorded)],
        setup(lane_stride=0),
        (Launch(carveout=100),),
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
    )


def _sectors() -> Iterator[Experiment]:
    """Which sectors of a line a load brings; how a load of 128 bytes that begins elsewhere in a line fares."""
    for touched in range(4):
        lines = [1024 * i for i in range(4)]
        seen = [1024 * i + 32 * i for i in range(4)]
        yield probes(f"l1/sector {touched} touched", [line + 32 * touched for line in lines], seen)
    behind = [128, 256, 512, -128]
    yield probes("l1/one line touched, its neighbours", [0], behind[:3])
    for shift in (0, 4, 16, 32, 64, 96, 124, 128):
        access = OPERATIONS["LDG.32"](0)
        load = access.having(operands={**access.operands, "off": shift}, write=0, stall=2)
        region = stopwatch(RESULTS[0], [load], wait=1)
        yield Experiment(
            f"l1/128 bytes from {shift}", region, RESULTS[:1], setup(), registers=REGISTERS, iterations=3, kind="cycles"
        )
