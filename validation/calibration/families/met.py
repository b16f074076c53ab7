"""Two SMSPs' instructions of the MIO that come so many cycles apart: how long each takes.

Warp 0 does one thing some cycles behind a block barrier, the other warps another thing, a cycle later each time.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from ..program import Experiment, Launch, clock
from ..sass import Instruction
from .mio import KINDS, WRITES, prepare
from .passed import beside

PAUSE = 18  # cycles until warp 0 begins, about
LAUNCHES = (Launch("2", 64, 3, shared=16384),)
NAMES = (
    *("SHFL.BFLY", "SHFL.IDX", "REDUX.SUM", "S2R.TID"),
    *("LDS.32", "LDS.64", "LDS.128", "LDS.32 8-way", "STS.32", "STS.128", "ATOMS.ADD", "ATOMS.ADD 8-way", "LDG.32"),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, others in product(NAMES, repeat=2):
        name = f"met/{first} beside {others}"
        timed_first, timed_others = partial(_timed, first), partial(_timed, others)
        yield beside(name, timed_first, timed_others, PAUSE, prepared=prepare(), launches=LAUNCHES)


def _timed(name: str, before: int, behind: int) -> Sequence[Instruction]:
    last = KINDS[name](0)
    last = last.having(write=0, stall=2) if name.startswith(WRITES) else last.having(read=0, stall=2)
    return [clock(before, stall=2), last, clock(behind, stall=2, wait=1)]
