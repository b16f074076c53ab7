"""Who takes the places of a full MIO queue, and what comes with a row later.

A clock read behind every instruction of every warp.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import RZ, op
from .burst import from_on, lanes_apart
from .mio import KINDS, timed, two_ways
from .operations import GLOBAL, Builder

START, FILLED, PROBED = 8, 12, 10
RECORD_BEFORE = FILLED - 1  # record: the late warp's clock before its row
_LATE, _TURNS = 1, 20  # predicate: the warp that comes later; by so many turns of 15 cycles
_FILLS: dict[str, Builder] = {
    "LDG.32": lambda i: op("LDG.32", 24 + i % 16, 4, GLOBAL, 128 * 32 * (i % 4)),
    "STG.32": lambda i: op("STG.32", 4, GLOBAL, 128 * 32 * (i % 4), 40),
    "LDS.32 8-way": KINDS["LDS.32 8-way"],
}
_PROBES: dict[str, Builder] = {
    **{name: KINDS[name] for name in ("S2R.TID", "SHFL.BFLY", "LDS.32", "STS.32")},
    "LDG.32": lambda i: op("LDG.32", 24 + i % 16, 4, 56),
    "STG.32": lambda i: op("STG.32", 4, 56, 0, 40),
}
FILLERS = (1, 2, 4, 7)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for fill in _FILLS:
        for probe in _PROBES:
            for fillers in FILLERS:
                yield _admitted(fill, probe, fillers)


def row_name(fill: str, probe: str, fillers: int) -> str:
    """The program in which so many warps fill the queue before one comes with its row."""
    return f"admitted/{PROBED} {probe} beside {fill} by {fillers}"


def _admitted(fill: str, probe: str, fillers: int) -> Experiment:
    probing = [
        *[op("NOP", stall=SAFE)] * _TURNS,
        clock(START + RECORD_BEFORE, stall=1),
        *timed(_PROBES[probe], PROBED, START + 1),
    ]
    prepare = [
        *lanes_apart(128, warp_bytes=1 << 14),
        op("IMAD.IMM", 50, 53, 4, RZ, stall=SAFE),
        op("IMAD.IMM", 55, 53, 32, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", 56, 53, 0, 2, stall=SAFE),
        op("SHF.R.IMM", 54, RZ, 7, 0, stall=SAFE),
        *from_on(_LATE, fillers, 54, 54),
    ]
    warps = fillers + 1
    launch = Launch("1", 128 * warps, sum(1 << (4 * w) for w in range(warps)), shared=16384)
    return Experiment(
        row_name(fill, probe, fillers),
        two_ways(START, _LATE, timed(_FILLS[fill], FILLED, START + 1), probing),
        range(START, START + 1 + FILLED),
        prepare,
        (launch,),
        registers=64,
        iterations=3,
        sync=True,
        kind="timeline",
    )
