"""Which warp of an SMSP goes on behind a yield: rows on one pipe of two cycles, in groups that end with a yield.

Every group has a clock in its last instruction, so that the clocks of all warps, sorted, are the order of the groups.
"""

import random
from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, clock, smsp_warps
from ..sass import Instruction, op

_A, _B, _RESULT, _FIRST = 8, 9, 10, 18
# Groups of a row and the warps that run it: more clocks have no room in the registers of more warps.
ROWS = ((60, (2, 4)), (44, (8,)))
EVERY = (*range(1, 13), 16, 20)
LONGEST = (12, 20)
SEEDS = 2
BEFORE = 10  # groups of LONG before the one of another length
LONG = 12
OTHERS = (2, 4, 5, 6, 7, 8, 10)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for groups, warps in ROWS:
        for length in EVERY:
            yield _row(f"every {length}, {groups}", [length] * groups, warps)
        for longest in LONGEST:
            for seed in range(SEEDS):
                draw = random.Random(1000 * longest + seed)
                lengths = [draw.randint(1, longest) for _ in range(groups)]
                yield _row(f"up to {longest}, {seed}, {groups}", lengths, warps)
        for other in OTHERS:
            lengths = [LONG] * BEFORE + [other] + [LONG] * (groups - BEFORE - 1)
            yield _row(f"one of {other}, {groups}", lengths, warps)


def _row(name: str, lengths: Sequence[int], warps: Sequence[int]) -> Experiment:
    region: list[Instruction] = []
    for i, length in enumerate(lengths):
        region += [op("IADD3", _RESULT + j % 8, _A, _B, _A, stall=2) for j in range(length - 1)]
        region.append(clock(_FIRST + i, stall=2, yield_=True))
    region.append(op("NOP", stall=SAFE, wait=0x3F))
    return Experiment(
        f"yields/{name}",
        region,
        range(_FIRST, _FIRST + len(lengths)),
        [op("MOV.IMM", r, 0x3C003C00, stall=SAFE) for r in range(_A, _FIRST)],
        tuple(smsp_warps(n) for n in warps),
        registers=_FIRST + len(lengths) + 2,
        sync=True,
        kind="timeline",
    )
