"""A load so many cycles behind a store or a load of many lines: when its data are back.

One warp, or two of two SMSPs, of which one makes the first access and the other one the load. L1 holds all lines but
those of loads that are new, and those of stores that it does not hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..program import SAFE, Experiment, Launch, block_barrier, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, lanes_apart, pauses
from .draining import bits_of_smsp
from .operations import GLOBAL

START, ASKED, LOADED = 8, 9, 10
ALONE, TWO = smsp_warps(1), Launch("2 SMSPs", 64, 3)
LATER = (0, 1, 4, 9, 16, 25, 32, 41, 48, 57, 64, 73, 80, 89, 96, 113, 128, 145)  # cycles between the two
HELD = 1 << 22  # bytes behind the data where the words lie that are loaded
AREA = 1 << 16  # bytes between two stores that share no line
FURTHER = 1 << 14  # bytes between what is loaded each time, where it is new
PAUSE = 40
_ADDRESS = 58  # of what is loaded
_LINE = 56  # the address of words in a row
_SMSP = 1  # a predicate: the warp is of the second SMSP
ROW, OTHER_BANKS, LINES = lanes_apart(4), lanes_apart(132), lanes_apart(128)


@dataclass(frozen=True)
class Access:
    """Instructions, where their lanes' words lie, and whether L1 holds their lines."""

    instructions: tuple[Instruction, ...]
    placed: list[Instruction]
    is_held: bool = True


def load_of(name: str, placed: list[Instruction], is_held: bool = True) -> Access:
    """A load behind the rest, and where its lanes' words lie."""
    return Access((op(name, 24, 4, _ADDRESS, HELD, write=1, stall=2),), placed, is_held)


def _stores(name: str, count: int, placed: list[Instruction], is_held: bool = True) -> Access:
    return Access(tuple(op(name, 4, GLOBAL, AREA * i, 40, read=0, stall=2) for i in range(count)), placed, is_held)


PROBES = {
    "LDG.32": load_of("LDG.32", ROW),
    "LDG.64": load_of("LDG.64", lanes_apart(8)),
    "LDG.128": load_of("LDG.128", lanes_apart(16)),
    "LDG.32 of 32 lines": load_of("LDG.32", LINES),
    "LDG.32, new": load_of("LDG.32", ROW, is_held=False),
    "LDG.32 of 32 lines, new": load_of("LDG.32", LINES, is_held=False),
}
FIRST = {
    "nothing": Access((), LINES),
    **{f"{count} STG.32 of 32 lines": _stores("STG.32", count, LINES) for count in (1, 2, 3)},
    "1 STG.32 of 32 lines, not held": _stores("STG.32", 1, LINES, is_held=False),
    "1 STG.32 of 32 lines, other banks": _stores("STG.32", 1, OTHER_BANKS),
    "1 STG.64 of 32 lines": _stores("STG.64", 1, LINES),
    **{f"1 STG.32 of {32 >> group} lines": _stores("STG.32", 1, lanes_apart(128, group, 4)) for group in (1, 2, 3, 5)},
    "1 LDG.32 of 32 lines": Access((op("LDG.32", 28, 4, GLOBAL, write=0, stall=2),), LINES),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _stores_in_turn()
    for name, first in FIRST.items():
        for probe, load in PROBES.items():
            for later in LATER if first.instructions else LATER[:1]:
                yield load_behind(f"delayed/{name}, {later} cycles, {probe}", first, load, later)
                if first.instructions:
                    others = Access(_guarded(first, ~_SMSP), first.placed, first.is_held)
                    of_other = Access(_guarded(load, _SMSP), load.placed, load.is_held)
                    yield load_behind(
                        f"delayed/{name}, {later} cycles, {probe} of another SMSP", others, of_other, later, TWO
                    )


def _stores_in_turn() -> Iterator[Experiment]:
    """A store so many cycles behind one of 32 lines, and a load right behind it."""
    one_line = [op("IMAD.WIDE.U32.IMM", _LINE, 53, 4, _ADDRESS, stall=SAFE)]
    seconds = {
        "STG.32 of the same lines": op("STG.32", 4, GLOBAL, 4, 40, read=0, stall=2),
        "STG.32 of 32 other lines": op("STG.32", 4, GLOBAL, AREA, 40, read=0, stall=2),
        "STG.32 of 1 line": op("STG.32", 4, _LINE, AREA, 40, read=0, stall=2),
    }
    first, load = FIRST["1 STG.32 of 32 lines"], PROBES["LDG.32"]
    for name, second in seconds.items():
        for later in LATER:
            both = Access((*first.instructions, *pauses(later), second), [*first.placed, *one_line])
            yield load_behind(f"delayed/1 STG.32 of 32 lines, {later} cycles, {name}, LDG.32", both, load, 0)


def _guarded(access: Access, guard: int) -> tuple[Instruction, ...]:
    return tuple(one.having(guard=guard) for one in access.instructions)


def load_behind(name: str, first: Access, load: Access, later: int, launch: Launch = ALONE) -> Experiment:
    """A load so many cycles behind what comes first: clocks at the start, when it is asked for and when it is back."""
    copied = [op("MOV", _ADDRESS + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    region = [
        *first.instructions,
        *(load.instructions if load.is_held else [op("IADD3.IMM", _ADDRESS, _ADDRESS, FURTHER, RZ, stall=SAFE)]),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *(() if first.is_held else (*EMPTY_L1, *(load.instructions if load.is_held else ()))),
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("together"),
        clock(START, stall=4),
        *first.instructions,
        *pauses(later),
        clock(ASKED, stall=2),
        *load.instructions,
        clock(LOADED, stall=2, wait=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        name,
        region,
        [START, ASKED, LOADED],
        [*load.placed, *copied, *first.placed, *bits_of_smsp()],
        (launch,),
        iterations=2,
        sync=True,
        kind="timeline",
    )
