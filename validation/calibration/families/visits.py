"""Which lines of code the level-0 cache keeps: places of a line each that a warp goes to in a random order.

The order stands in shared memory; each place is left by RET to the address that it finds there, and takes down the
cycles from the RET before to its own first instruction: longer where the line is not there.
"""

import random
from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, smsp_warps, up_to
from ..sass import RZ, op
from .stopwatch import REGISTERS, RESULTS

VISITS = 60
SEEDS = 3
# Places, and lines from one to the next.
LAYOUTS = (
    *((8, 4), (12, 4), (15, 4), (16, 4), (17, 4), (20, 4), (24, 4), (32, 4)),
    *((12, 8), (16, 8), (20, 8), (24, 8), (16, 16), (20, 16), (16, 6), (20, 6), (16, 5), (20, 5)),
    *((16, 3), (20, 3), (24, 2), (32, 2), (44, 1), (48, 1), (56, 1), (64, 1), (20, 7), (20, 12), (20, 32)),
)
FIRST = 8  # register of a ring's first clock
NEXT, LEFT, NOW, AT = 12, 11, 10, 20  # registers: the next place's address, above it 0; clocks; where the order stands
ROUNDS = 3
# Rings: lines from one place to the next, cycles that a warp stays at each.
PLACES = 48
STEPS = (1, 2, 3, 4, 6, -1, -2, -3, -4)
STAYS = (2, 4, 7, 10, 13, 16, 20, 24, 28, 34, 40)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for places, apart in LAYOUTS:
        for seed in range(SEEDS):
            yield _walk(places, apart, seed)
    for step in STEPS:
        for stay in STAYS:
            yield _ring(step, stay, max(1, -(-stay // SAFE)))
    for step in (1, 2, 4):
        for slot in range(3, LINE):
            yield _ring(step, 20, slot)


def order_of(places: int, seed: int) -> list[int]:
    """The places in the order of visits."""
    draw = random.Random(1000 * places + seed)
    if seed == SEEDS - 1:  # around, then back and forth
        return [visit % places for visit in range(VISITS // 2)] + [draw.randrange(places) for _ in range(VISITS // 2)]
    return [draw.randrange(places) for _ in range(VISITS)]


def _walk(places: int, apart: int, seed: int) -> Experiment:
    """Records: of each visit the cycles from the RET before to the place's first instruction."""
    order = order_of(places, seed)
    setup = [op("MOV", NEXT + 1, RZ, stall=SAFE), op("MOV", AT, RZ, stall=SAFE)]
    for visit, place in enumerate([*order[1:], None]):
        setup.append(op("MOV.IMM", 21, "out" if place is None else f"place{place}", stall=SAFE))
        setup.append(op("STS.32", AT, 4 * visit, 21, read=0, stall=2))
        setup.append(op("NOP", wait=1, stall=2))
    region = [op("MOV", AT, RZ, stall=SAFE), clock(LEFT, stall=SAFE), op("BRA", f"place{order[0]}", stall=5)]
    region += up_to(region, 0)
    for place in range(places):
        region += [
            clock(NOW, stall=5, label=f"place{place}"),
            op("LDS.32", NEXT, AT, 0, write=0, stall=2),
            op("IMAD.IMM", NOW, LEFT, -1, NOW, stall=5),
            op("STS.32", AT, 4 * VISITS, NOW, read=1, stall=2),
            op("IADD3.IMM", AT, AT, 4, RZ, wait=3, stall=SAFE),
            op("NOP", stall=SAFE),
            clock(LEFT, stall=SAFE),
            op("RET", NEXT, "start", stall=5),
        ]
        region += [op("NOP")] * (LINE * (apart - 1))
    region += [op("NOP", label="out", stall=SAFE)]
    records = RESULTS[:VISITS]
    for visit, register in enumerate(records):
        region.append(op("LDS.32", register, RZ, 4 * VISITS + 4 * visit, write=0, stall=2))
    region.append(op("NOP", wait=1, stall=SAFE))
    return Experiment(
        f"visits/{places} places, {apart} lines apart, order {seed}",
        region,
        records,
        setup,
        (smsp_warps(1, shared=16384),),
        registers=REGISTERS,
        iterations=ROUNDS,
        sync=True,
        kind="cycles",
        meta={"order": order},
    )


def _ring(step: int, stay: int, slot: int) -> Experiment:
    """From place to place, `step` lines on; records: a clock at each, which the warp leaves `stay` cycles later.

    `slot`: of the branch, within its line.
    """
    order = range(PLACES) if step > 0 else range(PLACES - 1, -1, -1)
    region = [op("BRA", "place0", stall=5)]
    region += up_to(region, 0)
    for place in order:
        row = [clock(FIRST + place, label=f"place{place}"), *[op("NOP")] * (slot - 1)]
        row = [one.having(stall=(stay + number) // slot) for number, one in enumerate(row)]
        region += [*row, op("BRA", f"place{place + 1}", stall=5)]
        region += [op("NOP")] * (abs(step) * LINE - slot - 1)
    region.append(op("NOP", stall=SAFE, label=f"place{PLACES}"))
    return Experiment(
        f"visits/ring, {step} lines on, {stay} cycles at each, branch in slot {slot}",
        region,
        range(FIRST, FIRST + PLACES),
        launches=(smsp_warps(1, shared=16384),),
        iterations=2 * ROUNDS,
        sync=True,
        kind="timeline",
    )
