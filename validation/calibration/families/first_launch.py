"""Code that no cache of the SM has yet: a program's first launch, straight on and by jumps, by one SMSP and by four.

Only the first launch of a program shows it, so each program is launched in one way alone.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .stopwatch import REGISTERS, RESULTS

CLOCKS = 56
PACES = (1, 2, 4)  # stall counts
APART = (2, 3, 5, 8, -3, -7)  # lines from one place to the next


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for launch, by in ((smsp_warps(1), ""), (sm_warps(1), ", 4 SMSPs")):
        for pace in PACES:
            yield _first(f"first_launch/straight, stall {pace}{by}", _straight(pace), launch)
        for apart in APART:
            yield _first(f"first_launch/jumps {apart} lines on{by}", _jumps(apart), launch)


def _first(name: str, entry: list[Instruction], launch: Launch) -> Experiment:
    """A clock in each place that the launch's first instructions come to."""
    return Experiment(
        name,
        [op("NOP", stall=SAFE)],
        RESULTS[:CLOCKS],
        launches=(launch,),
        registers=REGISTERS,
        iterations=1,
        entry=entry,
        kind="first",
    )


def _straight(pace: int) -> list[Instruction]:
    """A clock at the start of every line."""
    entry: list[Instruction] = []
    for register in RESULTS[:CLOCKS]:
        entry += [clock(register, stall=pace), *[op("NOP", stall=pace)] * (LINE - 1)]
    return entry


def _jumps(apart: int) -> list[Instruction]:
    """A clock and a jump at the start of a line; the next place lies so many lines on, or before."""
    each = abs(apart)
    lines = [[op("NOP")] * LINE for _ in range(each * CLOCKS + 1)]
    places = range(CLOCKS) if apart > 0 else range(CLOCKS)[::-1]
    for i, place in enumerate(places):
        to = f"place{i + 1}" if i + 1 < CLOCKS else "on"
        here = [clock(RESULTS[i], stall=2, label=f"place{i}"), op("BRA", to, stall=5)]
        lines[place * each] = [*here, *[op("NOP")] * (LINE - len(here))]
    first = [op("BRA", "place0", stall=5), *[op("NOP")] * (LINE - 1)]
    return [*first, *(instruction for line in lines for instruction in line), op("NOP", label="on")]
