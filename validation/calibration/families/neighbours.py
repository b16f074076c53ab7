"""Loads from DRAM of lines side by side: which of them are late together, and which partition of L2 is their home.

`neighbours/lines`: 32 warps load a line each of 4 KB at once, one 4 KB after the other. A channel of DRAM that is being
refreshed makes its lines late.
`neighbours/lines of K blocks`: the same of K blocks of 4 KB at once, all lanes a word each.
`neighbours/pieces B bytes apart, L lanes each`: one warp, whose groups of L lanes load a word each B bytes apart.
`neighbours/blocks from B`: one warp loads a line of each of 32 blocks of 4 KB in turn, all programs together a page of
2 MB. An SM has those blocks sooner whose home is near.
The first iteration, for which the code comes from DRAM, too, loads other lines; each launch loads its own.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, constant, sm_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, setup
from .probes import together
from .stopwatch import stopwatch

BLOCK_BYTES, PAGE_BYTES = 4096, 2 << 20
LINES, BLOCKS = 32, 32  # that a program loads in turn
AT_ONCE = (1, 4)  # blocks
# Bytes between groups of lanes of one load, and the binary logarithm of the lanes of a group.
PIECES = (
    *((0, 0), (32, 4), (64, 4), (96, 4), (32, 3), (32, 2), (32, 1), (32, 0), (64, 3), (128, 4), (128, 3), (128, 2)),
    *((128, 0), (256, 3), (512, 3), (1024, 3), (4096, 3), (1024, 2)),
)
_RESULTS = range(8, 40)  # registers, few enough for 32 warps
_LOADED, _ONE, _ROW = 56, 57, 40


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield _loads("lines", 0, sm_warps(8, flush=True, advance=2 * LINES * BLOCK_BYTES), LINES * BLOCK_BYTES)
    for count in AT_ONCE:
        yield _rows(count)
    for stride, shift in PIECES:
        yield _piece(stride, shift)
    for first in range(0, PAGE_BYTES // BLOCK_BYTES, BLOCKS):
        yield _loads(f"blocks from {first}", first, Launch(flush=True, advance=2 * PAGE_BYTES), PAGE_BYTES)


def _rows(count: int) -> Experiment:
    """A line by each warp of so many blocks of 4 KB at once."""
    region = []
    for i, result in enumerate(_RESULTS):
        offsets = (BLOCK_BYTES * (count * i + k) for k in range(count))
        loads = [op("LDG.32", _ROW + k, 4, GLOBAL, offset, write=0, stall=2) for k, offset in enumerate(offsets)]
        region += [*together(f"row{i}"), *stopwatch(result, loads, wait=1)]
    onward = LINES * count * BLOCK_BYTES
    address = [op("IMAD.WIDE.U32.IMM", GLOBAL, 0, 4, GLOBAL, stall=SAFE)]
    return _experiment(f"lines of {count} blocks", region, sm_warps(8, flush=True, advance=2 * onward), onward, address)


def _piece(stride: int, shift: int) -> Experiment:
    """One load at a time by one warp, of each block: its lanes' groups so many bytes apart."""
    region = []
    for i, result in enumerate(_RESULTS):
        load = op("LDG.32", _LOADED, 4, GLOBAL, BLOCK_BYTES * i, write=0, stall=2)
        region += stopwatch(result, [load], wait=1)
    address = [op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE), op("SHF.R.IMM", 53, RZ, shift, 53, stall=SAFE)]
    address.append(op("IMAD.WIDE.U32.IMM", GLOBAL, 53, stride, GLOBAL, stall=SAFE))
    launch = Launch(flush=True, advance=2 * LINES * BLOCK_BYTES)
    name = f"pieces {stride} bytes apart, {1 << shift} lanes each"
    return _experiment(name, region, launch, LINES * BLOCK_BYTES, address)


def _loads(name: str, first: int, launch: Launch, onward: int) -> Experiment:
    """A line by each warp of blocks of 4 KB, from the ``first`` on; so many bytes ``onward`` in the next iteration."""
    region = []
    for i, result in enumerate(_RESULTS):
        load = op("LDG.32", _LOADED, 4, GLOBAL, BLOCK_BYTES * (first + i), write=0, stall=2)
        region += [*together(f"block{i}"), *stopwatch(result, [load], wait=1)]
    return _experiment(name, region, launch, onward, [op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 128, GLOBAL, stall=SAFE)])


def _experiment(
    name: str, region: list[Instruction], launch: Launch, onward: int, address: list[Instruction]
) -> Experiment:
    """Two iterations, the second ``onward`` bytes behind; ``address`` moves the buffer; R53 holds the warp."""
    return Experiment(
        f"neighbours/{name}",
        [*region, op("IMAD.WIDE.U32.IMM", GLOBAL, _ONE, onward, GLOBAL, stall=SAFE)],
        _RESULTS,
        [*setup(lane_stride=0), op("SHF.R.IMM", 53, RZ, 5, 0, stall=SAFE), *address, constant(_ONE, 1)],
        (launch,),
        iterations=2,
        kind="cycles",
    )
