"""First touches of constants: how far apart two of them must lie to miss twice, and what a miss costs.

The constants are those of c[0x0] that no kernel reads at its start: those before its parameters.
"""

from collections.abc import Iterator

from ..program import Experiment
from ..sass import Instruction, op
from .operations import setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

STEPS = (4, 8, 16, 32, 64)
FIRST, LAST = 0x40, 0x1F0
TOUCHES = 48


def experiments() -> Iterator[Experiment]:
    """Yield one program per kind of access and step: the time of each of a row of touches."""
    for name in ("FFMA.CONST", "LDC", "ULDC"):
        for step in STEPS:
            region: list[Instruction] = []
            touches = min(TOUCHES, (LAST - FIRST) // step)
            for i, register in enumerate(RESULTS[:touches]):
                region += stopwatch(register, [_access(name, FIRST + step * i)], wait=1)
            yield Experiment(
                f"constants/{name} {step} bytes apart",
                region,
                RESULTS[:touches],
                setup(),
                registers=REGISTERS,
                iterations=1,
                kind="cycles",
            )


def _access(name: str, offset: int) -> Instruction:
    match name:
        case "FFMA.CONST":
            return op(name, 24, 40, offset, 41, stall=6)
        case "ULDC":
            return op(name, 16, offset, stall=6)
        case _:
            return op(name, 24, offset, write=0, stall=2)
