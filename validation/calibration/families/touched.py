"""First touches of constants by warps of an SMSP that nothing keeps together, and behind a stop of issue.

`touched/NAME, paced P`: each of 1 to 8 warps touches six lines, P cycles behind its clock of the last touch.
`touched/NAME beside rows`: the first warp does so, every 70 cycles, the others execute NOPs, one a cycle.
`touched/NAME, stopped D`: a lone warp touches each line D cycles behind instructions that wait for their registers.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock, smsp_warps
from ..sass import RZ, Instruction, op
from .constants import FIRST, LINES, access
from .operations import setup

NAMES = ("ULDC", "FFMA.CONST")
PACES = (1, 4, 9, 14)
STOPPED = range(1, 13)
WARPS = tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 6, 8))
CLOCKS = 8
BESIDE = 70
ROW = 24
_SAME_BANK = (40, 42, 44)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name in NAMES:
        for pace in PACES:
            yield _experiment(f"{name}, paced {pace}", _touches(name, [op("NOP", stall=pace)]), WARPS)
        yield _experiment(f"{name} beside rows", _beside(name), WARPS)
        for behind in STOPPED:
            stop = [op("FFMA", 50 + 2 * i, *_SAME_BANK, stall=1) for i in range(2)]
            yield _experiment(f"{name}, stopped {behind}", _touches(name, [*stop, op("NOP", stall=behind)]), WARPS[:1])


def _experiment(name: str, region: list[Instruction], launches: tuple[object, ...]) -> Experiment:
    return Experiment(
        f"touched/{name}",
        region,
        range(CLOCKS, CLOCKS + 2 * LINES),
        [*setup(), op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE), op("ISETP", 1, 54, RZ, stall=SAFE)],
        launches,  # type: ignore[arg-type]
        iterations=1,
        sync=True,
        kind="timeline",
    )


def _touches(name: str, before: list[Instruction]) -> list[Instruction]:
    region: list[Instruction] = []
    for i in range(LINES):
        region += [clock(CLOCKS + 2 * i, stall=2), *before, access(name, FIRST + 64 * i)]
        region += [clock(CLOCKS + 2 * i + 1, stall=4, wait=1)]
    return region


def _beside(name: str) -> list[Instruction]:
    """Warp 0 goes its own way."""
    rows: list[Instruction] = []
    for i in range(LINES):
        rows += [clock(CLOCKS + 2 * i, stall=2), *[op("NOP", stall=1)] * ROW, clock(CLOCKS + 2 * i + 1, stall=4)]
    late = [op("NOP", stall=10)] * ((BESIDE - 59) // 10)
    return [
        *block_barrier("together"),
        op("BRA", "rows", guard=1, stall=5),
        *[op("NOP", stall=SAFE)] * 3,
        *_touches(name, late),
        op("BRA", "joined", stall=5),
        op("NOP", stall=SAFE, label="rows"),
        *[op("NOP", stall=SAFE)] * 2,
        *rows,
        op("NOP", stall=SAFE, label="joined"),
    ]
