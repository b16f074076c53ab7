"""Constants of the module's own, c[0x3], as ``__constant__`` declares them: first touches, and touches again.

Beside ``constants``, which are those of the launch, c[0x0].
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock, first_warps, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .constants import LINES, WARPS, met, timeline, to_next_line
from .operations import setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

TOUCHES = 60
STEPS = (64, 512)  # bytes
NAMES = ("FFMA.CONST3", "LDC3", "ULDC3", "LDC3.R", "ULDC3.R")
INDEX, UNIFORM_INDEX = 54, 12
# Words that the lanes of an LDC read, and bytes from one to the next.
WORDS = ((1, 4), (2, 4), (2, 64), (4, 4), (8, 4), (8, 256), (16, 4), (16, 64), (16, 256), (32, 4))
ROW = 16
HELD = (16, 24, 28, 30, 31, 32, 33, 34, 40, 48)  # lines gone over again and again
TABLE_BYTES = 32 * 1024


def experiments() -> Iterator[Experiment]:
    """Yield rows of touches, the first ones of a launch and those of a second turn, and touches by many warps."""
    for name in NAMES:
        for step in STEPS:
            for turns in (1, 2):
                yield _row(name, step, turns)
        yield _together(name)
    for name in ("FFMA.CONST3", "LDC3"):
        for lines in HELD:
            yield _row(name, 64, 3, lines)
        yield _row(name, 256, 3, 8)
        yield _row(name, 256, 3, 9)
    for name in ("LDC3.R", "ULDC3.R"):
        for step in (64, 256):
            yield _own_lines(name, step)
    yield _row("FFMA.CONST3", 256, 1, TOUCHES, flush=True)
    yield _row("LDC3", 256, 1, TOUCHES, flush=True)
    for words, step in WORDS:
        yield _lanes(words, step)


def _row(name: str, step: int, turns: int, touches: int = TOUCHES, *, flush: bool = False) -> Experiment:
    region: list[Instruction] = []
    for i, register in enumerate(RESULTS[:touches]):
        region += [*index(step * i), *stopwatch(register, [access(name, step * i)], wait=1)]
    return Experiment(
        f"module_constants/{name} {step} bytes apart, "
        + (f"turn {turns}" if touches == TOUCHES else f"{touches} lines")
        + (", flushed" if flush else ""),
        region,
        RESULTS[:touches],
        setup(),
        (Launch(flush=flush),),
        registers=REGISTERS,
        iterations=turns,
        constants=TABLE_BYTES,
        kind="cycles",
    )


def _together(name: str) -> Experiment:
    """Warps that touch one line of constants after the other together: clocks before and behind each touch."""
    region = to_next_line()
    for i in range(LINES):
        region += [*index(64 * i), *met(i, access(name, 64 * i))]
    return timeline(f"module_constants/{name}, warps together", region, LINES, setup(), WARPS, constants=TABLE_BYTES)


def _own_lines(name: str, step: int) -> Experiment:
    """First touches of a line by each warp, all at once, then of a line beside it: clocks before and behind each."""
    own = [
        op("SHF.R.IMM", INDEX, RZ, 5, 0, stall=SAFE),
        op("IMAD.IMM", INDEX, INDEX, step, RZ, stall=SAFE),
        op("R2UR", UNIFORM_INDEX, INDEX, stall=SAFE),
    ]
    region = to_next_line()
    for i in range(2):
        region += [
            *met(i, access(name, 0)),
            op("IADD3.IMM", INDEX, INDEX, 32 * step, RZ, stall=SAFE),
            op("R2UR", UNIFORM_INDEX, INDEX, stall=SAFE),
        ]
    launches = first_warps((1, 2, 4, 8, 16, 32), shared=16384)
    name = f"module_constants/{name}, each warp its own line, {step} bytes apart"
    return timeline(name, region, 2, [*setup(), *own], launches, constants=TABLE_BYTES)


def _lanes(words: int, step: int) -> Experiment:
    """LDCs of several words by the lanes, all of which the cache holds: one alone, and a clock behind each of a row."""
    masked = [
        op("LOP3.IMM", INDEX, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", INDEX, INDEX, words - 1, RZ, stall=SAFE),
        op("IMAD.IMM", INDEX, INDEX, step, RZ, stall=SAFE),
    ]
    region = [*stopwatch(RESULTS[0], [access("LDC3.R", 0)], wait=1), op("NOP", stall=SAFE), clock(RESULTS[1], stall=4)]
    for i in range(ROW):
        region += [op("LDC3.R", 24 + i, INDEX, write=0, stall=1), clock(RESULTS[2 + i], stall=1)]
    region += [clock(RESULTS[2 + ROW], stall=SAFE, wait=1)]
    return Experiment(
        f"module_constants/LDC3.R of {words} words, {step} bytes apart",
        region,
        RESULTS[: 3 + ROW],
        [*setup(), *masked],
        (smsp_warps(1, shared=16384), *(sm_warps(n, shared=16384) for n in (1, 4))),
        registers=REGISTERS,
        iterations=3,
        sync=True,
        constants=TABLE_BYTES,
        kind="cycles",
    )


def index(offset: int) -> list[Instruction]:
    """Put an offset where indexed accesses take it from."""
    return [op("MOV.IMM", INDEX, offset, stall=SAFE), op("UMOV.IMM", UNIFORM_INDEX, offset, stall=SAFE)]


def access(name: str, offset: int) -> Instruction:
    """An instruction that touches the constant at an offset."""
    match name:
        case "FFMA.CONST3":
            return op(name, 24, 40, offset, 41, stall=6)
        case "ULDC3":
            return op(name, 16, offset, stall=6)
        case "LDC3.R":
            return op(name, 24, INDEX, write=0, stall=2)
        case "ULDC3.R":
            return op(name, 16, UNIFORM_INDEX, stall=6)
        case _:
            return op(name, 24, offset, write=0, stall=2)
