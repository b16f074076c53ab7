"""The way into the LSU: SMSP 0 executes a row of one kind, the others one of another, a clock read behind each.

`entries/pair`: both rows run on; `entries/alone`: SMSP 0 waits for each result.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from ..program import SAFE, Experiment, clock, first_warps
from ..sass import RZ, Instruction, op
from .mio import KINDS, PARTED, prepare
from .probes import LAST

_ROW = 60
_CLOCK = 64
_LAUNCHES = first_warps((2, 4), "{}x1", shared=16384)
NAMES = (
    "LDS.32",
    "LDS.32 8-way",
    "LDS.128",
    "SHFL.BFLY",
    "SHFL.IDX",
    "STS.32",
    "STS.128",
    "STS.32 8-way",
    "ATOMS.ADD 8-way",
    "S2R.TID",
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for first, other in product(NAMES, repeat=2):
        yield _experiment(f"pair {first}, {other}", _row(first), _row(other))
    for first, other in product(NAMES, ("LDS.32 8-way", "STS.128", "ATOMS.ADD 8-way", "LDS.128")):
        if not first.startswith("STS"):
            yield _experiment(f"alone {first}, {other}", _row(first, waits=True), _row(other))


def _row(name: str, *, waits: bool = False) -> list[Instruction]:
    region: list[Instruction] = []
    for i in range(_ROW):
        one = KINDS[name](i)
        if waits:
            region += [one.having(write=LAST, stall=2), clock(_CLOCK + 1 + i, stall=5, wait=1 << LAST)]
        else:
            region += [one, clock(_CLOCK + 1 + i, stall=1)]
    return region


def _experiment(label: str, first: Sequence[Instruction], other: Sequence[Instruction]) -> Experiment:
    region = [
        clock(_CLOCK, stall=4),
        op("BRA", "other", guard=1, stall=5),
        *first,
        op("BRA", "join", stall=5),
        op("NOP", label="other"),
        *other,
        op("NOP", stall=SAFE, label="join"),
        op("LDS.32", 24, 50, write=LAST, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"entries/{label}",
        region,
        range(_CLOCK, _CLOCK + 1 + _ROW),
        [
            *prepare(),
            op("SHF.R.IMM", PARTED, RZ, 5, 0, stall=SAFE),
            op("ISETP", 1, PARTED, RZ, stall=SAFE),
        ],
        _LAUNCHES,
        registers=128,
        sync=True,
        kind="timeline",
    )
