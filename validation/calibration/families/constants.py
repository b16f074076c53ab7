"""First touches of constants: how far apart two of them must lie to miss twice, what a miss costs, when it begins.

The constants are those of c[0x0] that no kernel reads at its start: those before its parameters.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, Launch, clock, first_warps, smsp_warps
from ..sass import Instruction, op
from .mio import EIGHT_WAY, prepare
from .operations import setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

STEPS = (4, 8, 16, 32, 64)
FIRST, LAST = 0x40, 0x1F0
TOUCHES = 48
LINES = 6  # of 64 bytes
_CLOCKS = 8  # register of the first clock
# Some of one SMSP, then some of the SM.
WARPS = (
    *(smsp_warps(n, shared=16384) for n in (1, 2, 4, 8)),
    *first_warps((2, 4, 8, 16, 32), "{} of the SM", shared=16384),
)


def experiments() -> Iterator[Experiment]:
    """Yield one program per kind of access and step: the time of each of a row of touches."""
    for name in ("FFMA.CONST", "LDC", "ULDC"):
        for step in STEPS:
            region: list[Instruction] = []
            touches = min(TOUCHES, (LAST - FIRST) // step)
            for i, register in enumerate(RESULTS[:touches]):
                region += stopwatch(register, [access(name, FIRST + step * i)], wait=1)
            yield Experiment(
                f"constants/{name} {step} bytes apart",
                region,
                RESULTS[:touches],
                setup(),
                registers=REGISTERS,
                iterations=1,
                kind="cycles",
            )
        yield _together(name)
    for name in ("FFMA.CONST", "ULDC"):
        yield _waiting(name)


def _together(name: str) -> Experiment:
    """Warps that touch one line of constants after the other together: clocks before and behind each touch."""
    region = to_next_line()
    for i in range(LINES):
        region += met(i, access(name, FIRST + 64 * i))
    return timeline(f"constants/{name}, warps together", region, LINES, setup(), WARPS)


def timeline(
    name: str,
    region: list[Instruction],
    touches: int,
    prepare: list[Instruction],
    launches: tuple[Launch, ...],
    *,
    constants: int = 0,
) -> Experiment:
    """Return the program that records the clocks of so many touches, the first ones of a launch."""
    records = range(_CLOCKS, _CLOCKS + 2 * touches)
    return Experiment(
        name, region, records, prepare, launches, iterations=1, sync=True, constants=constants, kind="timeline"
    )


def to_next_line() -> list[Instruction]:
    """Behind the block barrier, fill its line of code: `met` is a line long."""
    return [op("NOP", stall=SAFE)] * (LINE - 3)


def met(number: int, touch: Instruction) -> list[Instruction]:
    """Have the block's warps, one touch after the other, meet behind each: clocks before and behind it."""
    before, behind = clock(_CLOCKS + 2 * number, stall=2), clock(_CLOCKS + 2 * number + 1, stall=SAFE, wait=1)
    label = f"on{number}"
    meeting = [op("BAR.SYNC", stall=8), op("BRA", label, stall=5), op("NOP"), op("NOP", label=label)]
    return [op("NOP", stall=SAFE), before, touch, behind, *meeting]


def _waiting(name: str) -> Experiment:
    """First touches by warps that wait for something else, too: warp 0 for a barrier and for what it loads."""
    region: list[Instruction] = []
    for i in range(LINES):
        late = [op("NOP", stall=SAFE) for _ in range(8)]
        region += [op("BRA", f"early{i}", guard=~1, stall=5), *late, op("NOP", stall=SAFE, label=f"early{i}")]
        region += [clock(64 + 2 * i, stall=2)]
        if i < LINES // 2:
            region += [op("BAR.SYNC", stall=6), access(name, FIRST + 64 * i)]
        else:
            region += [op("LDS.32", 24, EIGHT_WAY, write=0, stall=2), access(name, FIRST + 64 * i).having(wait=1)]
        region += [clock(65 + 2 * i, stall=SAFE, wait=1)]
    return Experiment(
        f"constants/{name}, waiting",
        region,
        range(64, 64 + 2 * LINES),
        prepare(),
        first_warps((1, 2, 8), shared=16384),
        registers=128,
        iterations=1,
        sync=True,
        kind="timeline",
    )


def access(name: str, offset: int) -> Instruction:
    """An instruction that touches the constant at an offset: FFMA.CONST, ULDC or an LDC."""
    match name:
        case "FFMA.CONST":
            return op(name, 24, 40, offset, 41, stall=6)
        case "ULDC":
            return op(name, 16, offset, stall=6)
        case _:
            return op(name, 24, offset, write=0, stall=2)
