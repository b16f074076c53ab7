"""Instructions whose guard is false in every lane: when the barriers that they set are released.

`without_lanes/NAME`: three or six stopwatches, each from an instruction that sets a write barrier, a read barrier or
both, as far as it has them, to one that waits; first as it is, then with a guard that is false.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch
from ..sass import Instruction, op
from .operations import OPERATIONS, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

WRITE, READ = {"write": 0}, {"read": 1}
_BOTH = (WRITE, READ)
BARRIERS: dict[str, tuple[dict[str, int], ...]] = {
    **dict.fromkeys(("MUFU.RCP", "POPC", "I2F.F64", "SHFL.BFLY", "SHFL.IDX", "MATCH.ANY", "REDUX.SUM"), _BOTH),
    **dict.fromkeys(("LDS.32", "LDS.128", "LDG.32", "LDG.128", "LDC.R", "ATOMS.ADD", "ATOMG.ADD"), _BOTH),
    **dict.fromkeys(("STS.32", "STS.128", "STG.32", "STG.128", "STL"), (READ,)),
    **dict.fromkeys(("LDC", "LDL", "S2R.TID"), (WRITE,)),
}
GUARDS = (None, 4)
_FALSE = 4  # a predicate that no lane has
_EITHER = 3  # both barriers, as a wait mask


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, barriers in BARRIERS.items():
        pieces = [OPERATIONS[name](0).having(guard=guard, stall=2, **sets) for guard in GUARDS for sets in barriers]
        region: list[Instruction] = []
        for register, piece in zip(RESULTS, pieces, strict=False):
            region += stopwatch(register, [piece], wait=_EITHER)
        yield Experiment(
            f"without_lanes/{name}",
            region,
            RESULTS[: len(pieces)],
            [*setup(name), op("ISETP", _FALSE, 40, 40, stall=SAFE)],
            [Launch(shared=16384)],
            registers=REGISTERS,
            kind="cycles",
        )
