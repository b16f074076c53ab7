"""Bursts of loads that touch 1 to 32 lines each, as L1 hits, L2 hits and hits of what is on its way."""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import APART, EMPTY_L1, EMPTY_L1_ALONE, burst, lanes_apart
from .operations import GLOBAL, OPERATIONS
from .stopwatch import REGISTERS, RESULTS, stopwatch

COUNTS = (1, 4, 16)
# Bytes between the words of neighbouring lanes; 4 more than a multiple of 128 means another bank for each.
STRIDES = (36, 68, 132, 136, 144, 160, 260, 388, 4100)
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
PATTERNS = {
    **{f"LDG.32, {32 >> group} lines": ("LDG.32", group, 128, 4) for group in range(6)},
    "LDG.32, 32 words 8 bytes apart": ("LDG.32", 0, 8, 0),
    "LDG.32, 32 words 16 bytes apart": ("LDG.32", 0, 16, 0),
    "LDG.32, 32 sectors": ("LDG.32", 0, 32, 0),
    **{f"LDG.32, 32 words {stride} bytes apart": ("LDG.32", 0, stride, 0) for stride in STRIDES},
    "LDG.64, 136 bytes apart": ("LDG.64", 0, 136, 0),
    "LDG.128, 144 bytes apart": ("LDG.128", 0, 144, 0),
    "LDG.32, 16 words of 4 lanes 32 bytes apart": ("LDG.32", 1, 32, 0),
    "LDG.64, 256 bytes": ("LDG.64", 0, 8, 0),
    "LDG.64, 32 lines": ("LDG.64", 0, 128, 0),
    "LDG.128, 512 bytes": ("LDG.128", 0, 16, 0),
    "LDG.128, 32 lines": ("LDG.128", 0, 128, 0),
    "LDG.128, 32 times 48 bytes apart": ("LDG.128", 0, 48, 0),
    "LDG.128, one address": ("LDG.128", 5, 0, 0),
    "LDG.128, 8 lines": ("LDG.128", 2, 128, 0),
}
# Loads in turn: of a line that L1 holds, of another line, of one that an earlier load asked for.
SEQUENCES = ("H", "M", "MH", "HM", "MHH", "HMH", "MMH", "MA", "MAH", "MMA", "MHM", "MMMMH", "HHHHM")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for label, (name, group, stride, inner) in PATTERNS.items():
        prepare = lanes_apart(stride, group, inner)
        for count in COUNTS:
            again = [_load(name, i, 0) for i in range(count)]
            yield burst(f"scattered/{count} {label}, held", again, prepare)
            yield burst(f"scattered/{count} {label}, asked for again", again, prepare, before=EMPTY_L1)
            shared = lanes_apart(stride, group, inner, 0)
            yield burst(f"scattered/{count} {label}, of all warps", again, shared, before=EMPTY_L1)
            others = [_load(name, i, APART) for i in range(count)]
            yield burst(f"scattered/{count} {label}, not held", others, prepare, before=EMPTY_L1)
    yield from _after_stores()
    for lines in (1, 8, 32):
        for sequence in SEQUENCES:
            yield _sequence(sequence, lines)


def _after_stores() -> Iterator[Experiment]:
    """Whether a load finds in L1 what a store wrote: sectors as a whole or in part, not held, held, or on their way."""
    for width, store, stride in (("32", "STG.32", 4), ("64", "STG.64", 8), ("128", "STG.128", 16), ("32", "STG.32", 8)):
        load = op(f"LDG.{width}", 24, 4, GLOBAL, 0, write=0, stall=SAFE)
        written = op(store, 4, GLOBAL, 0, 40, stall=SAFE)
        region: list[Instruction] = []
        place = 0
        for before in ([], [load, *_pause(60)], [load]):
            for pause in (4, 60):
                piece = [*EMPTY_L1_ALONE, *before, written, *_pause(pause), op("NOP", wait=1, stall=SAFE)]
                region += [*piece, *stopwatch(RESULTS[place], [load.having(stall=2)], wait=1)]
                region += stopwatch(RESULTS[place + 1], [load.having(stall=2)], wait=1)
                place += 2
        yield Experiment(
            f"scattered/{store} of {stride} bytes a lane, then loads",
            region,
            RESULTS[:place],
            lanes_apart(stride),
            registers=REGISTERS,
            iterations=2,
            kind="cycles",
        )


def _pause(turns: int) -> list[Instruction]:
    return [op("NOP", stall=SAFE)] * turns


def _load(name: str, i: int, offset: int) -> Instruction:
    load = OPERATIONS[name](i)
    return load.having(operands={**load.operands, "off": offset * i}, write=0, stall=2)


def _sequence(sequence: str, lines: int) -> Experiment:
    """When each of some loads is back: the records are its cycles, those before and behind it in flight."""
    region: list[Instruction] = []
    for place in range(len(sequence)):
        region += [*EMPTY_L1_ALONE, op("LDG.32", 40, 4, GLOBAL, 0, write=0, stall=SAFE)]
        region += stopwatch(RESULTS[place], _row(sequence, place), wait=1 << 1)
    return Experiment(
        f"scattered/{sequence} of {lines} lines",
        region,
        RESULTS[: len(sequence)],
        lanes_apart(128, 5 - (lines.bit_length() - 1), 4),
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
    )


def _row(sequence: str, timed: int) -> list[Instruction]:
    offset = 0
    row = []
    for place, kind in enumerate(sequence):
        if kind == "M":
            offset += APART
        at = 0 if kind == "H" else offset
        row.append(op("LDG.32", 24 + place, 4, GLOBAL, at, write=1 if place == timed else 2, stall=2))
    return row
