"""Loops of what shares the port of lanes' data: REDUX and MATCH in turn with what goes to the LSU, and that alone.

The loop goes round many times, so that its cycles are those of the steady state; a block barrier begins it.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, sm_warps, smsp_warps
from ..sass import Instruction, op
from .burst import timed_loop
from .mio import KINDS, prepare

START, END, TRIPS = 8, 9, 60
LOOP_TRIPS, GROUPS = 16, 8
LANES = ("SHFL.BFLY", "SHFL.IDX", "STS.32", "STS.64", "STS.128", "ATOMS.ADD", "STG.32", "STG.128")
OTHERS = ("LDS.32", "LDS.64", "S2R.TID", "LDG.32")
MIXES = (
    *LANES,
    "REDUX.SUM",
    *(f"{first}+{other}" for first in ("REDUX.SUM", "MATCH.ANY") for other in (*LANES, *OTHERS)),
    *(f"REDUX.SUM+{other}+{other}" for other in LANES),
    *(f"REDUX.SUM+REDUX.SUM+{other}" for other in LANES),
    *(f"SHFL.BFLY+{other}" for other in LANES[1:]),
    *(f"STS.32+{other}" for other in (*LANES[3:], "LDS.32", "LDS.64")),
    *(f"SHFL.BFLY+SHFL.BFLY+{other}" for other in LANES[3:]),
    *(f"{other}+{other}+SHFL.BFLY" for other in LANES[3:]),
    *("STS.64+LDS.64", "STS.64+LDS.64+REDUX.SUM", "STS.64+LDS.64+MATCH.ANY", "SHFL.BFLY+LDS.32+REDUX.SUM"),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for mix in MIXES:
        yield _loop(mix)


def _loop(mix: str) -> Experiment:
    kinds = [KINDS[name] for name in mix.split("+")]
    body: list[Instruction] = [kinds[i % len(kinds)](i) for i in range(GROUPS * len(kinds))]
    region = [
        op("MOV.IMM", TRIPS, LOOP_TRIPS, stall=SAFE),
        *timed_loop(body, START, END, TRIPS),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"collided/{mix}",
        region,
        [START, END],
        prepare(),
        (*(smsp_warps(n, shared=16384) for n in (1, 3)), *(sm_warps(n, shared=16384) for n in (1, 2, 4, 6))),
        registers=64,
        iterations=3,
        sync=True,
        kind="timeline",
    )
