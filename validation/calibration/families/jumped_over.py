"""A warp jumps over a branch that is always taken: whether what stands behind that one is there.

Random runs of NOPs, each with a branch that is always taken and before it one with a predicate that is true, which
leads over it, to the next line or further on in the same one. Records: clocks where a run begins and where the warp
comes to behind that branch.
"""

import random
from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, up_to
from ..sass import Instruction, op
from .stopwatch import REGISTERS
from .streams import FIRST, NOT, gone_round

RUNS = 31
LEAST = 60 * LINE  # instructions of a region: more than the L0 holds
SEEDS = 20
# Stall counts; lengths of the sides that the warp goes to.
KINDS: dict[str, tuple[tuple[int, ...], tuple[int, int]]] = {
    "short": ((1, 1, 2, 4), (2, 12)),
    "long": ((1, 2, 4), (10, 30)),
    "slow": ((2, 4, 6, 10), (2, 20)),
}
LEFT = 0.3  # of the sides are left by a branch with a predicate


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in KINDS:
        for seed in range(SEEDS):
            yield _runs(kind, seed)


def _runs(kind: str, seed: int) -> Experiment:
    stalls, lengths = KINDS[kind]
    draw = random.Random(f"{kind} {seed}")

    def run(count: int) -> list[Instruction]:
        return [op("NOP", stall=draw.choice(stalls)) for _ in range(count)]

    region = up_to([], 0)
    for number in range(RUNS):
        here = [clock(FIRST + 2 * number, stall=draw.choice(stalls)), *run(draw.randint(0, 14))]
        here += [op("BRA", f"side{number}", guard=~NOT, stall=5), *run(draw.randint(0, 7))]
        here += [op("BRA", f"join{number}", stall=5)]
        if draw.random() < 0.5:
            here += [op("NOP")] * draw.randint(0, 7)
        here += [clock(FIRST + 2 * number + 1, stall=draw.choice(stalls), label=f"side{number}")]
        here += run(draw.randint(*lengths))
        if draw.random() < LEFT:
            here += [op("BRA", f"join{number}", guard=~NOT, stall=5), *[op("NOP")] * draw.randint(1, 24)]
        region += here
        region.append(op("NOP", stall=draw.choice(stalls), label=f"join{number}"))
    region += [op("NOP")] * max(0, LEAST - len(region))
    region.append(op("NOP", stall=SAFE))
    name = f"jumped_over/{kind}, {seed}"
    return gone_round(name, region, range(FIRST, FIRST + 2 * RUNS), registers=REGISTERS)
