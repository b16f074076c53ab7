"""Random ways through code that the L0 does not hold: what instruction fetch makes of all its rules together.

Runs of NOPs with random stall counts, one after the other or in random order, each left by a branch that is taken: an
unconditional one, which the front end follows, or one with a predicate. Records: clocks where a run begins and before
its branch; of straight code, at the beginning of each line.
"""

import random
from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, up_to
from ..sass import Instruction, op
from .stopwatch import REGISTERS
from .streams import FIRST, NOT, gone_round

PLACES = 31
LINES = 62
LEAST = 60 * LINE  # instructions of a region: more than the L0 holds
# Share of branches with a predicate; lengths of runs; instructions skipped between them; stall counts; whether branches
# that are not taken stand in the runs; whether the runs are gone through in random order.
KINDS: dict[str, tuple[float, tuple[int, int], tuple[int, int], tuple[int, ...], bool, bool]] = {
    "guarded, short": (1.0, (2, 16), (1, 40), (1, 1, 1, 2, 4), False, False),
    "guarded, long": (1.0, (8, 48), (1, 24), (1, 2, 2, 4), False, False),
    "guarded, shuffled": (1.0, (2, 30), (1, 10), (1, 2, 4, 6), False, True),
    "guarded, slow": (1.0, (2, 20), (1, 30), (2, 4, 6, 10), False, False),
    "always, short": (0.0, (2, 16), (1, 40), (1, 1, 1, 2, 4), False, False),
    "always, long": (0.0, (8, 48), (1, 24), (1, 2, 2, 4), False, False),
    "always, shuffled": (0.0, (2, 30), (1, 10), (1, 2, 4, 6), False, True),
    "always, slow": (0.0, (2, 20), (1, 30), (2, 4, 6, 10), False, False),
    "mixed": (0.5, (2, 30), (1, 30), (1, 2, 4), False, False),
    "mixed, shuffled": (0.5, (2, 30), (1, 10), (1, 2, 4), False, True),
    "untaken": (0.7, (4, 30), (1, 30), (1, 2, 4), True, False),
}
SEEDS = 20
# Lengths of sides; stall counts; whether lanes part at all; whether the second side is left by a branch as well.
PARTED: dict[str, tuple[tuple[int, int], tuple[int, ...], bool]] = {
    "joined": ((2, 24), (1, 2, 4), False),
    "parted, short": ((1, 10), (1, 2, 4), True),
    "parted, long": ((8, 30), (1, 2, 4), True),
    "parted, slow": ((2, 20), (2, 4, 6, 10), True),
}
REGIONS = 30
OTHERS = 6  # the predicate of all lanes but the first


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in KINDS:
        for seed in range(SEEDS):
            yield _stroll(kind, seed)
    for seed in range(SEEDS):
        yield _straight(seed)
    for kind in PARTED:
        for seed in range(SEEDS):
            yield _parted(kind, seed)


def _experiment(name: str, region: list[Instruction], records: range) -> Experiment:
    return gone_round(f"strolls/{name}", region, records, registers=REGISTERS)


def _stroll(kind: str, seed: int) -> Experiment:
    guarded, lengths, gaps, stalls, untaken, shuffled = KINDS[kind]
    draw = random.Random(f"{kind} {seed}")
    order = list(range(PLACES))
    if shuffled:
        draw.shuffle(order)
    visit = {place: number for number, place in enumerate(order)}
    region = [op("BRA", "visit0", stall=5)]
    region += up_to(region, 0)
    for place in range(PLACES):
        now = visit[place]
        length = draw.randint(*lengths)
        row = [op("NOP", stall=draw.choice(stalls)) for _ in range(length)]
        if untaken:
            for at in range(1, length - 1):
                if draw.random() < 0.1:
                    row[at] = op("BRA", f"visit{draw.randrange(PLACES)}", guard=NOT, stall=5)
        row[0] = clock(FIRST + 2 * now, stall=draw.choice(stalls), label=f"visit{now}")
        row[-1] = clock(FIRST + 2 * now + 1, stall=draw.choice(stalls))
        guard = ~NOT if draw.random() < guarded else None
        row.append(op("BRA", f"visit{now + 1}", guard=guard, stall=5))
        region += [*row, *[op("NOP")] * draw.randint(*gaps)]
    region += [op("NOP")] * max(0, LEAST - len(region))
    region.append(op("NOP", stall=SAFE, label=f"visit{PLACES}"))
    return _experiment(f"{kind}, {seed}", region, range(FIRST, FIRST + 2 * PLACES))


def _straight(seed: int) -> Experiment:
    """Straight code of paces that change, with pauses."""
    draw = random.Random(f"straight {seed}")
    region = up_to([], 0)
    stalls: tuple[int, ...] = (1,)
    for line in range(LINES):
        if line % 6 == 0:
            stalls = draw.choice(((1,), (1, 2), (2,), (2, 3, 4), (1, 1, 1, 1, 1, 10)))
        region.append(clock(FIRST + line, stall=draw.choice(stalls)))
        region += [op("NOP", stall=draw.choice(stalls)) for _ in range(LINE - 1)]
    region.append(op("NOP", stall=SAFE))
    return _experiment(f"straight, {seed}", region, range(FIRST, FIRST + LINES))


def _parted(kind: str, seed: int) -> Experiment:
    """Regions in which lanes part and join again, or could: clocks before and behind each."""
    lengths, stalls, parts = PARTED[kind]
    draw = random.Random(f"{kind} {seed}")
    region = up_to([], 0)

    def run(count: int) -> list[Instruction]:
        return [op("NOP", stall=draw.choice(stalls)) for _ in range(count)]

    for number in range(REGIONS):
        guard = draw.choice((OTHERS, ~OTHERS) if parts else (NOT, ~NOT))
        region += [clock(FIRST + 2 * number, stall=draw.choice(stalls)), op("BSSY", f"behind{number}")]
        region += [*run(draw.randint(0, 4)), op("BRA", f"side{number}", guard=guard, stall=5)]
        region += [*run(draw.randint(*lengths)), op("BRA", f"join{number}", stall=5)]
        side = run(draw.randint(*lengths))
        region += [side[0].having(label=f"side{number}"), *side[1:], op("BSYNC", stall=5, label=f"join{number}")]
        behind = [*run(draw.randint(1, 12)), clock(FIRST + 2 * number + 1, stall=draw.choice(stalls))]
        region += [behind[0].having(label=f"behind{number}"), *behind[1:]]
    region += [op("NOP")] * max(0, LEAST - len(region))
    region.append(op("NOP", stall=SAFE))
    return _experiment(f"{kind}, {seed}", region, range(FIRST, FIRST + 2 * REGIONS))
