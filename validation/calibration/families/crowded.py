"""First touches of constants by warps of many SMs at once, at a kernel's very start and behind it."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment
from ..sass import RZ, Instruction, op
from .chip import full
from .constants import FIRST, access
from .stopwatch import REGISTERS, RESULTS, stopwatch

LINES, LINE_BYTES = 6, 64
WAIT = 21  # register
LONE, FOUR = (1, 8, 33, 132), (1, 8, 33, 66, 132)  # blocks of a warp and of four
NAMES = ("FFMA.CONST", "ULDC", "LDC")


def experiments() -> Iterator[Experiment]:
    """Yield one program per kind of access, for operands at the start and one SM behind the other, too."""
    for name in NAMES:
        yield _experiment(f"crowded/{name}", _touches(name, FIRST))
    yield _experiment("crowded/FFMA.CONST, one SM behind the other", [*_one_by_one(), *_touches("FFMA.CONST", FIRST)])
    for name in NAMES:
        start = _touches(name, FIRST - LINE_BYTES)
        yield _experiment(f"crowded/{name}, at the start", [op("NOP", stall=SAFE)], entry=start)


def _experiment(title: str, region: Sequence[Instruction], entry: Sequence[Instruction] = ()) -> Experiment:
    lone = (full(f"{n} blocks of 32", threads=32, blocks=n) for n in LONE)
    return Experiment(
        title,
        region,
        RESULTS[:LINES],
        launches=(*lone, *(full(f"{n} blocks of 128", threads=128, blocks=n) for n in FOUR)),
        entry=entry,
        registers=REGISTERS,
        iterations=1,
        sync=True,
        kind="means",
    )


def _touches(name: str, first: int) -> list[Instruction]:
    region: list[Instruction] = []
    for i in range(LINES):
        region += stopwatch(RESULTS[i], [access(name, first + LINE_BYTES * i)], wait=1)
    return region


def _one_by_one() -> list[Instruction]:
    """Wait so many turns as the SM's number says, longer each than all touches of an SM take."""
    return [
        op("S2R.SMID", WAIT, write=0, stall=SAFE),
        op("NOP", stall=SAFE, wait=1),
        op("IADD3.IMM", WAIT, WAIT, 1, RZ, stall=SAFE),
        op("NOP", stall=SAFE, label="wait"),
        *[op("NOP", stall=SAFE)] * 40,
        op("IADD3.IMM", WAIT, WAIT, -1, RZ, stall=SAFE),
        op("ISETP", 0, WAIT, RZ, stall=SAFE),
        op("BRA", "wait", guard=0, stall=5),
    ]
