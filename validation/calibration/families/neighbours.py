"""Loads from DRAM of lines side by side: which of them are late together, and which partition of L2 is their home.

`neighbours/lines`: 32 warps load a line each of 4 KB at once, one 4 KB after the other. A channel of DRAM that is being
refreshed makes its lines late.
`neighbours/blocks from B`: one warp loads a line of each of 32 blocks of 4 KB in turn, all programs together a page of
2 MB. An SM has those blocks sooner whose home is near.
The first iteration, for which the code comes from DRAM, too, loads other lines; each launch loads its own.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, constant, sm_warps
from ..sass import RZ, op
from .operations import GLOBAL, setup
from .probes import together
from .stopwatch import stopwatch

BLOCK_BYTES, PAGE_BYTES = 4096, 2 << 20
LINES, BLOCKS = 32, 32  # that a program loads in turn
_RESULTS = range(8, 40)  # registers, few enough for 32 warps
_LOADED, _ONE = 56, 57


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield _loads("lines", 0, sm_warps(8, flush=True, advance=2 * LINES * BLOCK_BYTES), LINES * BLOCK_BYTES)
    for first in range(0, PAGE_BYTES // BLOCK_BYTES, BLOCKS):
        yield _loads(f"blocks from {first}", first, Launch(flush=True, advance=2 * PAGE_BYTES), PAGE_BYTES)


def _loads(name: str, first: int, launch: Launch, onward: int) -> Experiment:
    """A line by each warp of blocks of 4 KB, from the ``first`` on; so many bytes ``onward`` in the next iteration."""
    region = []
    for i, result in enumerate(_RESULTS):
        load = op("LDG.32", _LOADED, 4, GLOBAL, BLOCK_BYTES * (first + i), write=0, stall=2)
        region += [*together(f"block{i}"), *stopwatch(result, [load], wait=1)]
    return Experiment(
        f"neighbours/{name}",
        [*region, op("IMAD.WIDE.U32.IMM", GLOBAL, _ONE, onward, GLOBAL, stall=SAFE)],
        _RESULTS,
        [
            *setup(lane_stride=0),
            op("SHF.R.IMM", 53, RZ, 5, 0, stall=SAFE),
            op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 128, GLOBAL, stall=SAFE),
            constant(_ONE, 1),
        ],
        (launch,),
        iterations=2,
        kind="cycles",
    )
