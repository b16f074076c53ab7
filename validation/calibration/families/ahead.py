"""How far instruction fetch runs ahead of a warp in straight code that L0 lacks: lines behind a pause, even paces.

A clock read at the start of every line. Between two passes a row of NOPs throws the lines out of L0, not out of the
SM's instruction cache.
"""

from collections.abc import Iterator, Sequence

from ..program import LINE, SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .operations import setup
from .stopwatch import REGISTERS, RESULTS

LINES = 60
EVICTING = 2600
PAUSES = (3, 5, 8, 15)  # stall counts of the seven NOPs in a line
APART = (4, 7, 13, 25)  # lines
PACES = ((1, 2), (2,), (2, 3), (3,), (1, 1, 1, 4))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for pause in PAUSES:
        for apart in APART:
            stalls = [(pause if line % apart == apart - 1 else 1,) for line in range(LINES)]
            yield _straight(f"ahead/{7 * pause} cycles in every {apart}th line", stalls)
    for pace in PACES:
        yield _straight(f"ahead/stalls of {' '.join(map(str, pace))}", [pace] * LINES)


def _straight(name: str, stalls: Sequence[tuple[int, ...]]) -> Experiment:
    """Records: cycles since the first clock, line by line."""
    region: list[Instruction] = [op("NOP")] * (LINE - 1)
    for register, turns in zip(RESULTS[:LINES], stalls, strict=True):
        region.append(clock(register, stall=turns[0]))
        region += [op("NOP", stall=turns[(i + 1) % len(turns)]) for i in range(LINE - 1)]
    region += [op("NOP", stall=SAFE), *[op("NOP")] * EVICTING]
    return Experiment(
        name,
        region,
        RESULTS[:LINES],
        setup(),
        (smsp_warps(1), sm_warps(1)),
        registers=REGISTERS,
        iterations=2,
        kind="timeline",
    )
