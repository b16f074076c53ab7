"""Results of the MIO and of L1TEX beside a row that writes to the same bank of the register file, or to the other one.

`ports_of_results/NAME, N writes, BANK`: stopwatches from an instruction NAME to what waits for its result, with a row
of N FADDs, one a cycle, D cycles behind it in the D-th piece.
"""

from collections.abc import Iterator

from ..program import Experiment, Launch
from ..sass import Instruction, op
from .operations import OPERATIONS, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

NAMES = (
    *("LDC", "LDC.64", "LDC.R", "S2R.TID", "SHFL.BFLY", "MATCH.ANY", "ATOMS.ADD"),
    *("LDS.32", "LDS.64", "LDS.128", "LDG.32", "LDG.64", "LDG.128"),
)
ROWS = ((1, "same bank"), (2, "same bank"), (4, "same bank"), (8, "same bank"), (24, "same bank"), (40, "same bank"))
OTHER = (4, "other bank")
LATEST = 44
_SOURCE = 41


def experiments() -> Iterator[Experiment]:
    """Yield a program per instruction and row."""
    for name in NAMES:
        for writes, bank in (*ROWS, OTHER):
            region: list[Instruction] = []
            count = LATEST - writes
            for i in range(count):
                region += stopwatch(RESULTS[i], _beside(name, i + 1, writes, bank), wait=1)
            yield Experiment(
                f"ports_of_results/{name}, {writes} writes, {bank}",
                region,
                RESULTS[:count],
                setup(name),
                [Launch(shared=16384)],
                registers=REGISTERS,
                kind="cycles",
            )


def _beside(name: str, behind: int, writes: int, bank: str) -> list[Instruction]:
    """Stall counts go up to 15."""
    waits = [15] * ((behind - 1) // 15) + [(behind - 1) % 15 + 1]
    first = OPERATIONS[name](0).having(write=0, stall=waits[0])
    target = 32 if bank == "same bank" else 33
    row = [op("FADD", target + 2 * (i % 4), _SOURCE, _SOURCE, stall=1) for i in range(writes)]
    return [first, *[op("NOP", stall=one) for one in waits[1:]], *row]
