"""Whose turn it is where a queue is full: rows of one kind, or of two in turn, with a clock read behind each.

`turns/row`: all warps execute the same row; `turns/parted`: those of SMSP 0 one row, all others another.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .mio import KINDS, PARTED, prepare
from .operations import Builder, result
from .probes import LAST

_LANE, _FOUR = 53, 62  # 32 and 4 values among the lanes
_ROW = 48
_CLOCK = 64
_SHARED = 16384
# Rows, and the numbers of warps of one SMSP that execute them.
ROWS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("LDS.32 8-way", "STS.32 8-way"), (2, 3)),
    **dict.fromkeys(("SHFL.BFLY", "MUFU.RCP", "LDC", "MATCH.ANY"), (2, 4)),
    **{f"MATCH.ANY of 4+{other}": (1, 4) for other in ("REDUX.SUM", "LDC", "SHFL.BFLY", "MATCH.ALL")},
    **dict.fromkeys(("MATCH.ANY of 4", "MATCH.ANY of 32", "MATCH.ALL"), (1, 2, 4)),
    "SHFL.IDX+STS.64+ATOMS.ADD 8-way": (4,),
    **dict.fromkeys(("S2R.TID+LDS.32", "S2UR.CTAID"), (1, 4)),
}
PAIRS = (
    ("ATOMS.ADD 8-way", "LDS.32 8-way"),
    ("STS.32 8-way", "LDS.32 8-way"),
    ("STS.128", "LDS.128"),
    ("SHFL.BFLY", "LDS.32 8-way"),
    ("SHFL.BFLY", "ATOMS.ADD 8-way"),
    ("LDS.32 8-way", "ATOMS.ADD 8-way"),
    ("LDS.32 8-way", "STS.128"),
    ("REDUX.SUM", "MATCH.ANY of 4"),
    ("LDC", "MATCH.ANY of 4"),
)


KINDS_IN_TURN: dict[str, Builder] = {
    **KINDS,
    "MATCH.ANY of 4": lambda i: op("MATCH.ANY", result(i), _FOUR),
    "MATCH.ANY of 32": lambda i: op("MATCH.ANY", result(i), _LANE),
    "MATCH.ALL": lambda i: op("MATCH.ALL", 1, result(i), _FOUR),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, warps in ROWS.items():
        launches = [*(smsp_warps(n, shared=_SHARED) for n in warps), *(sm_warps(n, shared=_SHARED) for n in (1, 4))]
        yield _experiment(f"row {name}", _timed(name.split("+")), launches)
    for first, other in PAIRS:
        region = [
            op("BRA", "other", guard=1, stall=5),
            *_timed([first]),
            op("BRA", "join", stall=5),
            op("NOP", label="other"),
            *_timed([other]),
            op("NOP", stall=SAFE, label="join"),
        ]
        yield _experiment(f"parted {first}, {other}", region, [sm_warps(n, shared=_SHARED) for n in (1, 2, 4)])


def _timed(names: Sequence[str]) -> list[Instruction]:
    region: list[Instruction] = []
    for i in range(_ROW):
        region += [KINDS_IN_TURN[names[i % len(names)]](i), clock(_CLOCK + 1 + i, stall=1)]
    return region


def _experiment(label: str, region: list[Instruction], launches: Sequence[Launch]) -> Experiment:
    drain = [op("LDS.32", 24, 50, write=LAST, stall=2), op("NOP", wait=0x3F, stall=SAFE)]
    return Experiment(
        f"turns/{label}",
        [clock(_CLOCK, stall=4), *region, *drain],
        range(_CLOCK, _CLOCK + 1 + _ROW),
        _prepare(),
        tuple(launches),
        registers=128,
        sync=True,
        kind="timeline",
    )


def _prepare() -> list[Instruction]:
    """The addresses of all kinds; four values among the lanes; P1 tells the SMSPs other than the first."""
    return [
        *prepare(),
        op("LOP3.IMM", _FOUR, _LANE, 3, RZ, stall=SAFE),
        op("SHF.R.IMM", PARTED, RZ, 5, 0, stall=SAFE),
        op("LOP3.IMM", PARTED, PARTED, 3, RZ, stall=SAFE),
        op("ISETP", 1, PARTED, RZ, stall=SAFE),
    ]
