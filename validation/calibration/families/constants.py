"""The constant caches: lines, sizes, what a miss costs, several warps that miss at once.

The constants are a bank of 64 KB of the module's own, c[0x3], which nothing else reads.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

STEPS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
TOUCHES = 48
LINES = (8, 16, 24, 28, 32, 40, 48, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000)
LINE = 64
REACH = 32768  # bytes of a bank that an instruction's own offset reaches
START, END = 8, 9
NAMES = ("FFMA.USER", "LDC.USER", "LDC.R.USER", "ULDC.USER")
_INDEX = 56


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _parameter_bank()
    for name in NAMES:
        for step in STEPS:
            for iterations in (1, 2):
                yield _touches(name, step, iterations)
        for count in LINES:
            if count * LINE <= REACH or name == "LDC.R.USER":
                yield _loop(name, count)
    yield from _crossing()
    yield from _shared_touches()


def _access(name: str, offset: int, i: int = 0) -> list[Instruction]:
    """Return an access to a constant; LDC sets barrier 0."""
    if name == "FFMA.USER":
        return [op(name, 24 + i % 8, 40, offset, 41)]
    if name == "ULDC.USER":
        return [op(name, 16 + i % 8, offset)]
    if name == "LDC.USER":
        return [op(name, 24 + i % 8, offset, write=0, stall=2)]
    return [op("MOV.IMM", _INDEX, offset, stall=8), op(name, 24 + i % 8, _INDEX, write=0, stall=2)]


def _program(name: str, region: list[Instruction], records: int, **more: object) -> Experiment:
    return Experiment(
        f"constants/{name}",
        region,
        RESULTS[:records],
        setup(),
        registers=REGISTERS,
        kind="cycles",
        constants=True,
        **more,  # type: ignore[arg-type]
    )


def _touches(name: str, step: int, iterations: int) -> Experiment:
    """The time of each of a row of accesses `step` bytes apart."""
    region: list[Instruction] = []
    touches = min(TOUCHES, REACH // step)
    for i, register in enumerate(RESULTS[:touches]):
        *before, access = _access(name, step * i)
        region += [*before, *stopwatch(register, [access], wait=1)]
    return _program(f"{name} {step} bytes apart, run {iterations}", region, touches, iterations=iterations)


def _parameter_bank() -> Iterator[Experiment]:
    """First touches of c[0x0], between what every kernel reads there at once."""
    for name in ("FFMA.CONST", "LDC", "ULDC"):
        for step in (4, 8, 16, 32):
            region: list[Instruction] = []
            touches = min(TOUCHES, (0x1F0 - 0x40) // step)
            for i, register in enumerate(RESULTS[:touches]):
                place = 0x40 + step * i
                access = {
                    "FFMA.CONST": op("FFMA.CONST", 24, 40, place, 41),
                    "LDC": op("LDC", 24, place, write=0, stall=2),
                    "ULDC": op("ULDC", 16, place),
                }[name]
                region += stopwatch(register, [access], wait=1)
            yield Experiment(
                f"constants/{name} {step} bytes apart in c[0x0]",
                region,
                RESULTS[:touches],
                setup(),
                registers=REGISTERS,
                iterations=1,
                kind="cycles",
            )


def _loop(name: str, count: int) -> Experiment:
    """The time of `count` accesses to a line each, which ran before."""
    rows = [instruction for i in range(count) for instruction in _access(name, LINE * i, i)]
    rows = [row.having(wait=1) if row.write == 0 else row for row in rows]
    region = [clock(START, stall=4), *rows, clock(END, stall=4, wait=1)]
    return Experiment(
        f"constants/loop of {count} {name}",
        region,
        [START, END],
        setup(),
        (smsp_warps(1), sm_warps(1)),
        iterations=5,
        constants=True,
        meta={"count": count},
    )


def _shared_touches() -> Iterator[Experiment]:
    """First touches by several warps at once: of one line by all, of lines of their own."""
    launches = (smsp_warps(1), smsp_warps(4), sm_warps(1), sm_warps(4))
    for name in NAMES[:3]:
        for apart in (0, LINE, 4 * LINE) if name == "LDC.R.USER" else (0,):
            warp = [
                op("SHF.R.IMM", _INDEX, RZ, 5, 0, stall=SAFE),
                op("IMAD.IMM", _INDEX, _INDEX, apart, RZ, stall=SAFE),
            ]
            region = [*warp] if name == "LDC.R.USER" else []
            for i, register in enumerate(RESULTS[:8]):
                access = _access(name, 256 * i)[-1]
                region += stopwatch(register, [access], wait=1)
                region.append(op("IADD3.IMM", _INDEX, _INDEX, 4 * LINE * 32, RZ, stall=SAFE))
            label = f"{apart} bytes from warp to warp"
            yield _program(f"{name} by warps at once, {label}", region, 8, launches=launches, sync=True, iterations=1)


def _crossing() -> Iterator[Experiment]:
    """One kind of access touches, another follows: do they share a cache?"""
    for first in NAMES:
        for second in NAMES:
            region: list[Instruction] = []
            for i in range(8):
                for j, name in enumerate((first, second)):
                    *before, access = _access(name, 1024 * i)
                    region += [*before, *stopwatch(RESULTS[2 * i + j], [access], wait=1)]
            yield _program(f"{first}, then {second}", region, 16, iterations=1)
