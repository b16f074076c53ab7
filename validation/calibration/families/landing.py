"""Landings: what a taken branch costs by where it goes, what was fetched before, and what other warps fetch meanwhile.

A ring is a set of places that a warp jumps to in turn, a clock read at each of them; its records are those of the last
of several rounds.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup

START, END, TRIPS, LATE = 8, 9, 60, 0
FIRST = 8  # register of the first clock
PLACES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
STEPS = (1, -1, 2, -2, 4, -4)
LENGTHS = (*range(1, 17), 18, 20, 22, 24, 28, 32, *range(36, 50), 54, 64, 80, 96, 128)
LOOP_TRIPS = 16
ROUNDS = 6


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for places in PLACES:
        for step in STEPS:
            yield _ring(places, step)
    for lines in LENGTHS:
        for stall in (1, 4):
            yield _loop(lines, stall)
    for others in (1, 2):
        for apart in range(16):
            for behind in (0, 1, 3, 7):
                yield _once(apart, behind, others)
    for skipped in (0, 1, 2, 3, 4, 6, 10):
        for before in (1, 2, 4):
            yield _skip(skipped, before)


def wait(cycles: int) -> list[Instruction]:
    """Return NOPs whose stall counts add up to so many cycles, 10 or more."""
    return [op("NOP", stall=10)] * (cycles // 10 - 1) + [op("NOP", stall=5), op("NOP", stall=5 + cycles % 10)]


def _ring(places: int, step: int) -> Experiment:
    """Jump from place to place, `step` lines on."""
    order = range(places) if step > 0 else range(places - 1, -1, -1)
    region = [op("BRA", "place0", stall=5)]
    region += up_to(region, 0)
    for i in order:
        following = f"place{i + 1}"
        region += [clock(FIRST + i, label=f"place{i}"), op("BRA", following, stall=5)]
        region += [op("NOP")] * (abs(step) * LINE - 2)
    region.append(op("NOP", stall=SAFE, label=f"place{places}"))
    return Experiment(
        f"landing/ring of {places}, {step} lines on",
        region,
        range(FIRST, FIRST + places),
        setup(),
        (smsp_warps(1), smsp_warps(2, shared=16384), sm_warps(1, shared=16384)),
        iterations=ROUNDS,
        sync=True,
        kind="timeline",
    )


def _loop(lines: int, stall: int) -> Experiment:
    """A loop of so many lines: cycles of all its trips."""
    region = [op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE), clock(START, stall=4)]
    region += up_to(region, 0)
    tail = [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5),
        op("ISETP", 1, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=1, stall=5),
    ]
    body = [op("NOP", stall=stall)] * (lines * LINE - len(tail))
    region += [body[0].having(label="loop"), *body[1:], *tail, clock(END, stall=4)]
    launches = (*(smsp_warps(n, shared=16384) for n in (1, 2, 4, 8)), *(sm_warps(n, shared=16384) for n in (1, 4)))
    return Experiment(
        f"landing/loop of {lines} lines, stall {stall}, {LOOP_TRIPS} trips",
        region,
        [START, END],
        setup(),
        launches,
        iterations=3,
        sync=True,
        meta={"trips": LOOP_TRIPS},
    )


def _once(apart: int, behind: int, others: int) -> Experiment:
    """Warps that branch once, each in code of its own, the later ones `apart` cycles behind the one before.

    Clocks before the branch, at its target and, `behind` instructions and a long stall later, a third.
    """
    region = [op("SHF.R.IMM", 59, RZ, 7, 0, stall=SAFE)]
    for w in range(1, others + 1):
        region += [op("IADD3.IMM", 58, 59, -w, RZ, stall=SAFE), op("ISETP", LATE, 58, RZ, stall=SAFE)]
        region.append(op("BRA", f"wait{w}", guard=~LATE, stall=5))
    for w in range(others + 1):
        # What the rounds above took less for this warp, then a rest for all, then its delay.
        rest = wait((35 * (others - w) if w else 5) + 100 + w * apart)
        region += [rest[0].having(label=f"wait{w}"), *rest[1:], clock(FIRST, stall=4), op("BRA", f"land{w}", stall=5)]
        region += up_to(region, 0)
        row = [clock(FIRST + 1, label=f"land{w}"), *[op("NOP")] * behind]
        region += [*row[:-1], row[-1].having(stall=SAFE), *[op("NOP", stall=SAFE)] * 2, clock(FIRST + 2)]
        region += [op("BRA", "out", stall=5)]
        region += up_to(region, 0)
    region.append(op("NOP", stall=SAFE, label="out"))
    return Experiment(
        f"landing/once, {apart} cycles apart, {others + 1} warps, {behind} NOPs behind",
        region,
        range(FIRST, FIRST + 3),
        setup(),
        (smsp_warps(others + 1, shared=16384),),
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _skip(skipped: int, before: int) -> Experiment:
    """A loop that the level-0 cache does not hold, with jumps forward: clocks before each and behind it."""
    region: list[Instruction] = [op("MOV.IMM", TRIPS, 4, stall=SAFE)]
    region += up_to(region, 0)
    first = len(region)
    for i in range(8):
        run = [op("NOP")] * (before * LINE - 2) + [clock(FIRST + 2 * i), op("BRA", f"over{i}", stall=5)]
        region += [run[0].having(label="loop") if i == 0 else run[0], *run[1:]]
        region += [op("NOP")] * (skipped * LINE)
        line = [clock(FIRST + 2 * i + 1, label=f"over{i}"), *[op("NOP")] * (LINE - 1)]
        region += line
    region += [op("NOP")] * max(0, 70 * LINE - (len(region) - first))
    region += [
        op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5),
        op("ISETP", 1, TRIPS, RZ, stall=13),
        op("BRA", "loop", guard=1, stall=5),
    ]
    return Experiment(
        f"landing/jumps over {skipped} lines, {before} lines before each",
        region,
        range(FIRST, FIRST + 16),
        setup(),
        (smsp_warps(1, shared=16384), smsp_warps(2, shared=16384)),
        iterations=2,
        sync=True,
        kind="timeline",
    )
