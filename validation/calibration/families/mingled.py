"""REDUX and MATCH beside what goes to the LSU: rows of both in turn, and rows of one beside rows of the other.

`mingled/issues`: when each of a row issues; `mingled/sides`: some SMSPs execute a row of one kind, the others another.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import RZ, Instruction, op
from .burst import from_on
from .mio import KINDS, issues, prepare

START, ROW = 64, 32
OTHERS = (
    *("SHFL.BFLY", "SHFL.IDX", "LDS.32", "LDS.128", "STS.32", "STS.128", "ATOMS.ADD", "S2R.TID", "LDG.32", "STG.32"),
    *("MUFU.RCP", "LDC"),
)
SIDES = (1, 2, 3)  # SMSPs with the second kind, of four


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first in ("REDUX.SUM", "MATCH.ANY"):
        for other in OTHERS:
            yield issues("mingled/issues", f"{first}+{other}")
        for other in ("SHFL.BFLY", "STS.32", "LDS.32"):
            for mix in (f"{first}+{other}+{other}", f"{first}+{other}+{other}+{other}", f"{first}+{first}+{other}"):
                yield issues("mingled/issues", mix)
        for other in ("SHFL.BFLY", "STS.32", "LDS.32", "S2R.TID"):
            for number in SIDES:
                yield _sides(first, other, number)
    yield issues("mingled/issues", "REDUX.SUM+MATCH.ANY")


def _sides(first: str, second: str, number: int) -> Experiment:
    rows: list[list[Instruction]] = []
    for name in (first, second):
        row: list[Instruction] = []
        for i in range(ROW):
            row += [KINDS[name](i), clock(START + 1 + i, stall=1)]
        rows.append(row)
    region = [
        clock(START, stall=4),
        op("BRA", "other", guard=1, stall=5),
        *rows[0],
        op("BRA", "join", stall=5),
        op("NOP", label="other"),
        *rows[1],
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
    ]
    return Experiment(
        f"mingled/sides {first}, {second} by {number}",
        region,
        range(START, START + 1 + ROW),
        [
            *prepare(),
            op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
            op("LOP3.IMM", 54, 54, 3, RZ, stall=SAFE),
            *from_on(1, 4 - number, 54, 54),
        ],
        (Launch("4x1", 128, 15, shared=16384), Launch("4x4", 512, 0xFFFF, shared=16384)),
        registers=128,
        sync=True,
        kind="timeline",
    )
