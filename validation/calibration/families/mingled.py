"""REDUX and MATCH beside what goes to the LSU: rows of both in turn, and rows of one beside rows of the other.

`mingled/issues`: when each of a row issues; `mingled/sides`: some SMSPs execute a row of one kind, the others another.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch
from ..sass import RZ, op
from .burst import from_on
from .mio import KINDS, issues, prepare, timed, two_ways

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
    rows = [timed(KINDS[name], ROW, START + 1) for name in (first, second)]
    return Experiment(
        f"mingled/sides {first}, {second} by {number}",
        two_ways(START, 1, *rows),
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
