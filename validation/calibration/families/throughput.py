"""Issue intervals and throughput: rows of independent instructions, by one warp and by several.

Each program holds the row between two clock reads; the difference between two row lengths is free of what the start and
the clock reads cost. Row lengths from 1 up also show how many instructions a queue takes before it throttles.
"""

import tomllib
from collections.abc import Iterator
from importlib import resources

from ..program import Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .operations import OPERATIONS, VARIABLE, Builder, setup

LONG = (32, 96)
QUEUE = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48)
START, END = 8, 9
_ROWS = tomllib.loads((resources.files(__package__) / "rows.toml").read_text())
QUEUED: list[str] = _ROWS["queued"]
PAIRS: list[str] = _ROWS["pairs"]
NATURAL: dict[int, list[str]] = {int(stall): names for stall, names in _ROWS["natural"].items()}
LAUNCHES = (*(smsp_warps(n, shared=16384) for n in (1, 2, 4, 8)), *(sm_warps(n, shared=16384) for n in (1, 2, 4, 8)))


def row(builders: tuple[Builder, ...], count: int) -> list[Instruction]:
    """Return `count` instructions, taken in turn from the builders."""
    return [builders[i % len(builders)](i // len(builders)) for i in range(count)]


def _finish(names: tuple[str, ...], instructions: list[Instruction]) -> list[Instruction]:
    """Let the last eight of the variable-latency instructions set write barriers, so that nothing is left in flight."""
    for i in range(max(0, len(instructions) - 8), len(instructions)):
        if names[i % len(names)] in VARIABLE:
            instructions[i] = instructions[i].having(write=i % len(names))
    return instructions


def timed(
    name: str,
    names: tuple[str, ...],
    count: int,
    launches: tuple[Launch, ...],
    *,
    builders: tuple[Builder, ...] | None = None,
    prepare: list[Instruction] | None = None,
) -> Experiment:
    """Return a program that times a row of `count` instructions of the named operations in turn.

    `builders` replaces the operations' own, when they shall have other control codes; `prepare` their set-up.
    """
    instructions = _finish(names, row(builders or tuple(OPERATIONS[n] for n in names), count))
    region = [clock(START, stall=4), *instructions, clock(END, stall=4)]
    chosen = setup(names[0]) if prepare is None else prepare
    return Experiment(name, region, [START, END], chosen, launches, sync=True, meta={"count": count})


def experiments() -> Iterator[Experiment]:
    """Yield the rows of single operations, of alternating pairs, and the short rows that show queues."""
    for name in OPERATIONS:
        for count in LONG:
            yield timed(f"throughput/{name}/{count}", (name,), count, LAUNCHES)
    for pair in PAIRS:
        for count in LONG:
            yield timed(f"throughput/{pair}/{count}", tuple(pair.split("+")), count, LAUNCHES)
    queue_launches = tuple(launch for launch in LAUNCHES if launch.label in ("1", "2", "4", "4x1", "4x4"))
    for name in QUEUED:
        for count in QUEUE:
            yield timed(f"queue/{name}/{count}", (name,), count, queue_launches)
    yield from _barriers_and_branches()


def _barriers_and_branches() -> Iterator[Experiment]:
    for count in LONG:
        barriers = [op("BAR.SYNC", stall=1) for _ in range(count)]
        yield _plain(f"throughput/BAR.SYNC/{count}", barriers, count)
        for stall in (1, 2, 5):
            hops = [op("BRA", f"hop{i}", stall=stall, label=f"hop{i - 1}" if i else None) for i in range(count)]
            end = [op("NOP", stall=1, label=f"hop{count - 1}")]
            yield _plain(f"throughput/BRA taken stall {stall}/{count}", hops + end, count)
        missed = [op("BRA", "top", guard=6, stall=1) for _ in range(count)]
        clear = [op("LOP3.P", 6, 255, 255, 0, 255, stall=15), op("NOP", stall=15)]
        yield _plain(f"throughput/BRA not taken/{count}", [*clear, *missed], count)


def _plain(name: str, body: list[Instruction], count: int) -> Experiment:
    region = [clock(START, stall=4), *body, clock(END, stall=4)]
    restore = [op("LOP3.P", 6, 255, 0, 31, 255, stall=15)]
    return Experiment(name, region + restore, [START, END], setup(), LAUNCHES, sync=True, meta={"count": count})
