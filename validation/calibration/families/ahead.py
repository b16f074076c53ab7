"""How far instruction fetch runs ahead of a warp in straight code that the ICC lacks: lines behind a pause, even paces.

A clock read at the start of every line. Between two passes a row of NOPs throws the lines out of the ICC, not out of
the GCC. ``apart``: warps of different SMSPs that come to the same code so many cycles behind each other.
"""

from collections.abc import Iterator, Sequence

from ..program import LINE, SAFE, Experiment, Launch, clock, first_warps, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup
from .stopwatch import REGISTERS, RESULTS

LINES = 60
EVICTING = 2600
PAUSES = (3, 5, 8, 15)  # stall counts of the seven NOPs in a line
APART = (4, 7, 13, 25)  # lines
PACES = ((1, 2), (2,), (2, 3), (3,), (1, 1, 1, 4))
DISTANCES = (*range(0, 60, 4), 64, 72, 80, 96, 112, 128, 160, 200)  # cycles
SMSPS = 4
ALONE_AND_BESIDE = (smsp_warps(1), sm_warps(1))
_ROUND = 35  # cycles that one warp less has looked for its row


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for pause in PAUSES:
        for apart in APART:
            stalls = [(pause if line % apart == apart - 1 else 1,) for line in range(LINES)]
            yield straight(f"ahead/{7 * pause} cycles in every {apart}th line", stalls)
    for pace in PACES:
        yield straight(f"ahead/stalls of {' '.join(map(str, pace))}", [pace] * LINES)
    for stall in (1, 2):
        for distance in DISTANCES:
            yield _apart(stall, distance)


def _apart(stall: int, distance: int) -> Experiment:
    """As ``straight``, by warp w of SMSP w, each ``distance`` cycles behind the one before."""
    warp, late = 59, 0
    region = [op("SHF.R.IMM", warp, RZ, 5, 0, stall=SAFE)]
    for w in range(1, SMSPS):
        region += [op("IADD3.IMM", 58, warp, -w, RZ, stall=SAFE), op("ISETP", late, 58, RZ, stall=SAFE)]
        region.append(op("BRA", f"wait{w}", guard=~late, stall=5))
    region.append(op("BRA", "wait0", stall=5))
    for w in (*range(1, SMSPS), 0):
        wait = (_ROUND * (SMSPS - 1 - w) + 5 if w else 0) + 100 + w * distance
        row = [op("NOP", stall=10)] * (wait // 10 - 1) + [op("NOP", stall=5), op("NOP", stall=5 + wait % 10)]
        region += [*up_to(region, 0), *[op("NOP")] * (8 * LINE)]
        region += [row[0].having(label=f"wait{w}"), *row[1:], op("BRA", "straight", stall=5)]
    region += [*up_to(region, 0), *[op("NOP")] * (8 * LINE)]
    for line, register in enumerate(RESULTS[:LINES]):
        region.append(clock(register, stall=stall, label="straight" if line == 0 else None))
        region += [op("NOP", stall=stall) for _ in range(LINE - 1)]
    region += [op("NOP", stall=SAFE), *[op("NOP")] * EVICTING]
    return Experiment(
        f"ahead/stalls of {stall}, {distance} cycles apart",
        region,
        RESULTS[:LINES],
        setup(),
        first_warps((2, SMSPS), "{} SMSPs"),
        registers=REGISTERS,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def straight(name: str, stalls: Sequence[Sequence[int]], launches: Sequence[Launch] = ALONE_AND_BESIDE) -> Experiment:
    """Lines of these stall counts, taken in turn within each. Records: cycles since the first clock, line by line."""
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
        launches,
        registers=REGISTERS,
        iterations=2,
        kind="timeline",
    )
