"""Instruction fetch: how large each cache is, what a line costs that comes from the next one, how far is fetched ahead.

Islands are runs of straight code, a clock read at the start of each of their lines, that are jumped to in an order that
no prefetch foresees. Between two passes a row of NOPs as long as the level-0 cache throws them out of it.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

START, END = 8, 9
LOOPS = range(1408, 2064, 32)
CHAINS = (64, 128, 160, 176, 192, 208, 224, 256, 384, 512, 768, 1000, 1024, 1280, 1500, 2048, 3072, 4096, 5000)
ISLANDS, RUN, APART = 9, 6, 24  # islands, lines of each, lines from one to the next
ORDER = (0, 5, 2, 7, 4, 1, 6, 3, 8)
EVICTING = 2600
STRAIGHT = 60
HOPS = 14
# A launch behind another content of the data buffer comes after 600 MB of writes: L2 has forgotten the code.
AFTER_WRITES = (Launch("after writes", data="chase:128:2"), Launch("again"))
_REACHED = 1  # instructions of a region's first line that come before the region


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for size in LOOPS:
        region = [clock(START, stall=4), *[op("NOP")] * size, clock(END, stall=4)]
        launches = (smsp_warps(1), smsp_warps(2), sm_warps(1))
        yield Experiment(f"fetch/loop {size}", region, [START, END], setup(), launches, meta={"count": size})
    for lines in CHAINS:
        yield _chain(lines)
    for step in (1, -1, 5, -5, 29):
        for before in (0, 1, 3, 7):
            yield _chain(61, step, before)
    yield _first_pass()
    for iterations in (1, 2, 4):
        yield _islands(iterations)
        yield _straight(iterations)
    for source in (0, 3, 6):
        for target in range(LINE):
            yield _hops(source, target)
    yield _stalls()
    yield from _together()


def _since_first(registers: range) -> list[Instruction]:
    """Turn clocks into cycles since the first of them."""
    return [op("IMAD.IMM", r, registers[0], -1, r, stall=SAFE) for r in reversed(registers)]


def _chain(lines: int, step: int = -1, before: int = 0) -> Experiment:
    """Jump from line to line, `step` lines on and round again, `before` NOPs in front of each branch."""
    region = [clock(START, stall=8), op("BRA", f"l{step % lines}", stall=5)]
    region += up_to(region, 0, _REACHED)
    for i in range(lines):
        following = (i + step) % lines
        jump = op("BRA", f"l{following}" if following != step % lines else "out", stall=5)
        line = [*[op("NOP")] * before, jump, *[op("NOP")] * (LINE - 1 - before)]
        region += [line[0].having(label=f"l{i}"), *line[1:]]
    region.append(clock(END, stall=4, label="out"))
    name = f"fetch/chain of {lines} lines"
    if (step, before) != (-1, 0) or lines == 61:
        name += f", {step} on, {before} NOPs before"
    return Experiment(name, region, [START, END], setup(), iterations=3, meta={"count": lines})


def _first_pass() -> Experiment:
    """Straight over 190 KB of code, two lines of three skipped, for the first time: a clock read every 24 lines."""
    region: list[Instruction] = up_to([], 0, _REACHED)
    for i, register in enumerate(RESULTS[:STRAIGHT]):
        region.append(clock(register, label=f"s{i}"))
        for j in range(8):
            last = j == 7
            target = f"s{i + 1}" if last else f"s{i}h{j}"
            region += [op("BRA", target, stall=5), *up_to([*region, op("NOP")], 0, _REACHED), *[op("NOP")] * (2 * LINE)]
            if not last:
                region.append(op("NOP", label=target))
    region += [op("NOP", stall=SAFE, label=f"s{STRAIGHT}"), *_since_first(RESULTS[:STRAIGHT])]
    return Experiment(
        "fetch/first pass",
        region,
        RESULTS[:STRAIGHT],
        setup(),
        AFTER_WRITES,
        registers=REGISTERS,
        iterations=1,
        kind="cycles",
    )


def _islands(iterations: int) -> Experiment:
    """Records: cycles since the first clock, island by island in the order of visits, line by line."""
    place = {island: visit for visit, island in enumerate(ORDER)}
    region = [op("NOP", stall=SAFE, wait=0x3F), op("BRA", "i0", stall=5)]
    region += up_to(region, 0, _REACHED)
    for island in range(ISLANDS):
        visit = place[island]
        for line in range(RUN):
            label = f"i{visit}" if line == 0 else None
            region += [clock(RESULTS[visit * RUN + line], label=label), *[op("NOP")] * (LINE - 1)]
        region[-1] = op("BRA", f"i{visit + 1}", stall=5)
        region += [op("NOP")] * (LINE * (APART - RUN))
    end = op("NOP", stall=SAFE, label=f"i{ISLANDS}")
    records = RESULTS[: ISLANDS * RUN]
    region += [end, *_since_first(records), *[op("NOP")] * EVICTING]
    return Experiment(
        f"fetch/islands, run {iterations}",
        region,
        records,
        setup(),
        AFTER_WRITES,
        registers=REGISTERS,
        iterations=iterations,
        kind="cycles",
        meta={"islands": ISLANDS, "lines": RUN},
    )


def _straight(iterations: int) -> Experiment:
    """Straight code with a clock read at the start of each line."""
    region: list[Instruction] = up_to([], 0, _REACHED)
    for register in RESULTS[:STRAIGHT]:
        region += [clock(register), *[op("NOP")] * (LINE - 1)]
    region += [op("NOP", stall=SAFE), *_since_first(RESULTS[:STRAIGHT]), *[op("NOP")] * EVICTING]
    return Experiment(
        f"fetch/straight, run {iterations}",
        region,
        RESULTS[:STRAIGHT],
        setup(),
        AFTER_WRITES,
        registers=REGISTERS,
        iterations=iterations,
        kind="cycles",
    )


def _hops(source: int, target: int) -> Experiment:
    """A branch at one offset of a line to another offset, then n instructions: when the n-th issues."""
    region: list[Instruction] = []
    for count in range(HOPS):
        region += up_to(region, (source - 2) % LINE, _REACHED)
        hop = [op("BRA", f"on{count}", stall=5)]
        there = len(region) + 3
        hop += [op("NOP")] * ((target - _REACHED - there) % LINE)
        landing = [op("NOP") for _ in range(count)]
        if landing:
            landing[0] = landing[0].having(label=f"on{count}")
        timed = stopwatch(RESULTS[count], [*hop, *landing], lead=8)
        if not landing:
            timed[-2] = timed[-2].having(label=f"on{count}")
        region += timed
    return Experiment(
        f"fetch/branch from {source} to {target}",
        region,
        RESULTS[:HOPS],
        setup(),
        registers=REGISTERS,
        kind="cycles",
        meta={"lead": 8},
    )


def _stalls() -> Experiment:
    """Branches with stall counts from 1 to 12: taken, and not taken with none and with four instructions behind."""
    region: list[Instruction] = [op("ISETP", 1, RZ, RZ, stall=SAFE), op("NOP", stall=SAFE)]
    register = iter(RESULTS)
    for stall in range(1, 13):
        missed = op("BRA", "top", guard=1, stall=stall)
        timed = stopwatch(next(register), [op("BRA", f"t{stall}", stall=stall), op("NOP")], lead=8)
        timed[-2] = timed[-2].having(label=f"t{stall}")
        region += timed
        region += stopwatch(next(register), [missed], lead=8)
        region += stopwatch(next(register), [missed, *[op("NOP")] * 4], lead=8)
        region += stopwatch(next(register), [missed, missed, missed], lead=8)
    return Experiment(
        "fetch/branch stalls", region, RESULTS[:48], setup(), registers=REGISTERS, kind="cycles", meta={"lead": 8}
    )


def _together() -> Iterator[Experiment]:
    """Warps of one SMSP that start together and do nothing but branch, a clock read at each landing."""
    for fill in (0, 1, 3, 5):
        region: list[Instruction] = []
        for i in range(16):
            region += [clock(8 + i, stall=1, label=f"h{i}"), *[op("NOP")] * fill, op("BRA", f"h{i + 1}", stall=5)]
            region += up_to(region, 0, _REACHED)
        region.append(op("NOP", stall=SAFE, label="h16"))
        yield Experiment(
            f"fetch/warps that branch, {fill} NOPs between",
            region,
            range(8, 24),
            setup(),
            tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4)),
            sync=True,
            kind="timeline",
        )
