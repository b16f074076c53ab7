"""Loops of loads that hit, each behind the one before, and one other access: what does that add to the loads?

As loops of generated programs: a warp's next load waits for its last, nothing waits for a store or reduction. Or,
apart, a warp of each SMSP does the others while three load. The loop goes round many times, so that its cycles are
those of the steady state.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1, lanes_apart, timed_loop
from .operations import GLOBAL

LOADED = 56  # the address of loads
AHEAD = 8 << 20  # bytes before these
START, END, TRIPS = 8, 9, 60
LOOP_TRIPS, LENGTH = 6, 12
OWN = 4 * APART  # bytes between two warps
# name -> bytes from group to group of lanes, log2 of a group's lanes, bytes from lane to lane in it
LOADS = {
    "LDG.32": (4, 0, 0),
    **{f"LDG.32 of {1 << 5 - n} lines in a bank": (128, n, 4) for n in (3, 2, 1, 0)},
    "LDG.64": (8, 0, 0),
    "LDG.128": (16, 0, 0),
}
# Passes that a load makes, or cycles of the tag stage.
PASSES = dict(zip(LOADS, (2, 4, 8, 16, 32, 2, 4), strict=True))
# The same, bytes between two accesses of a warp, which go to 16 places in turn, and cycles that each takes at most.
OTHERS = {
    "STG.32": (4, 0, 0, 512, 4),
    "STG.32 of a sector": (0, 3, 4, 512, 2),
    "STG.64": (8, 0, 0, 512, 8),
    "STG.128": (16, 0, 0, 512, 16),
    "STG.32 of 4 lines": (16, 0, 0, 512, 20),
    "STG.32 of 32 lines": (128, 0, 0, 0, 62),
    "REDG.ADD": (4, 0, 0, 512, 5),
    "REDG.ADD of a word": (0, 0, 0, 512, 32),
    "REDG.ADD of a lane": (0, 0, 0, 512, 4),
    "REDG.ADD of 64 words": (8, 0, 0, 512, 10),
    "ATOMG.ADD": (4, 0, 0, 512, 32),
    "ATOMG.ADD of 4 lines": (16, 0, 0, 512, 36),
    "LDG.32": (4, 0, 0, 0, 2),
    "LDG.32 of 32 lines in a pass": (132, 0, 0, 0, 8),
    "LDG.128": (16, 0, 0, 0, 4),
}
# A letter a load or other access; small ones: others that wait for the load before.
PATTERNS = ("LS", "sL", "LLLS")
LAUNCHES = (smsp_warps(1), sm_warps(1), sm_warps(4))
APART_LAUNCHES = (sm_warps(4),)
PLACES = 16
UNROLLED = 4
FIRST_LANE, IS_LOADING = 2, 3  # predicates


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for load in LOADS:
        yield _together("L", load, "STG.32")
        yield _apart(load, "STG.32", 0)
        for other in OTHERS:
            for pattern in PATTERNS:
                yield _together(pattern, load, other)
            for rate in (1, 3):
                yield _apart(load, other, rate)
    for other in OTHERS:
        yield _together("S", "LDG.32", other)


def name_of(pattern: str, load: str, other: str) -> str:
    """The name of the program with a loop of these."""
    kinds = [kind for letter, kind in (("L", load), ("S", other)) if letter in pattern.upper()]
    return f"paired/{pattern}, {', '.join(kinds)}"


def _loaded(load: str, i: int) -> Instruction:
    return op(load.split(maxsplit=1)[0], 24 + 4 * (i % 4), 4, LOADED, write=0, wait=1, stall=2)


def _other(other: str, i: int, *, waits: bool) -> Instruction:
    name, to = other.split(maxsplit=1)[0], OTHERS[other][3] * (i % PLACES)
    if name.startswith("ATOMG"):
        return op(name, 44, 4, GLOBAL, to, 40, write=1, wait=2 | waits, stall=2)
    if name.startswith("LDG"):
        return op(name, 44, 4, GLOBAL, to, write=1, wait=2 | waits, stall=2)
    one = op(name, 4, GLOBAL, to, 40, wait=int(waits), stall=2)
    return one.having(guard=~FIRST_LANE) if other.endswith("of a lane") else one


def _together(pattern: str, load: str, other: str) -> Experiment:
    row = []
    for i in range(LENGTH):
        letter = pattern[i % len(pattern)]
        row.append(_loaded(load, i) if letter == "L" else _other(other, i, waits=letter == "s"))
    region = [
        *_before(load, other),
        *timed_loop(row, START, END, TRIPS, wait=3),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        name_of(pattern, load, other),
        region,
        [START, END],
        _prepare(load, other),
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )


def _apart(load: str, other: str, rate: int) -> Experiment:
    """Of each SMSP a warp does the others, one in as many cycles as it and the load take alone."""
    every = 4 * (OTHERS[other][4] + rate * PASSES[load]) // SAFE
    longest = LOOP_TRIPS * LENGTH * 12 * PASSES[load] * 3 // 2
    turns = max(1, longest // (UNROLLED * every * SAFE)) if rate else 1
    others: list[Instruction] = []
    for i in range(UNROLLED):
        others += [_other(other, i, waits=False)] if rate else []
        others += [op("NOP", stall=SAFE)] * (every - (i == 0))
    region = [
        *_before(load, other),
        op("BRA", "others", guard=~IS_LOADING, stall=5),
        *timed_loop([_loaded(load, i) for i in range(LENGTH)], START, END, TRIPS, wait=3),
        op("BRA", "join", stall=5),
        op("MOV.IMM", TRIPS, turns, stall=SAFE, label="others"),
        *timed_loop(others, START, END, TRIPS, wait=3, label="turn"),
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]
    prepare = [
        *_prepare(load, other),
        op("LOP3.IMM", 53, 0, 0x180, RZ, stall=SAFE),
        op("IADD3.IMM", 53, 53, -0x180, RZ, stall=SAFE),
        op("ISETP", IS_LOADING, 53, RZ, stall=SAFE),
    ]
    return Experiment(
        f"paired/apart {rate}, {load}, {other}",
        region,
        [START, END],
        prepare,
        APART_LAUNCHES,
        iterations=2,
        sync=True,
        kind="timeline",
        meta={"turns": turns},
    )


def _before(load: str, other: str) -> list[Instruction]:
    return [
        *EMPTY_L1,
        _loaded(load, 0),
        _other(other, 0, waits=True),
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * 60,
        *block_barrier("begin"),
        op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE),
    ]


def _prepare(load: str, other: str) -> list[Instruction]:
    return [
        *lanes_apart(*LOADS[load], warp_bytes=0),
        op("MOV", LOADED, GLOBAL, stall=SAFE),
        op("MOV", LOADED + 1, GLOBAL + 1, stall=SAFE),
        op("MOV.IMM", 54, AHEAD, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", LOADED, 54, 1, LOADED, stall=SAFE),
        *lanes_apart(*OTHERS[other][:3], warp_bytes=OWN),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("ISETP", FIRST_LANE, 53, RZ, stall=SAFE),
    ]
