"""When the banks of DRAM are refreshed: loads of the same lines, again and again, that L2 has been told to drop.

`refresh/chunk C`: of the C-th 64 KB the first 8 KB, 16 units of four lines that one channel has: 8 of a block of 4 KB
whose home is one partition, 8 of the next. Each of 16 warps loads a line of its own unit, drops it from L2, and loads
it again. A load that comes while the line's bank is refreshed is answered when that is done, so that each line has late
loads that end at the same time of every refresh.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, setup
from .probes import together

CHUNKS = 10  # behind which the order of the banks repeats
CHUNK_BYTES = 64 << 10
UNITS = 16  # warps
TIMES = 28  # that a line is loaded
_CLOCKS = range(64, 64 + 2 * TIMES)
_LOADED, _INDEX = 56, 53


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for chunk in range(CHUNKS):
        yield Experiment(
            f"refresh/chunk {chunk}",
            [
                *together("begin"),
                *(each for start, end in zip(_CLOCKS[::2], _CLOCKS[1::2], strict=True) for each in _again(start, end)),
            ],
            _CLOCKS,
            [*setup(lane_stride=0), *_place(chunk * CHUNK_BYTES)],
            (Launch(str(UNITS), 32 * UNITS, (1 << UNITS) - 1),),
            registers=128,
            iterations=2,
            kind="timeline",
        )


def _place(offset: int) -> list[Instruction]:
    """Warp w loads the first line of unit w: a unit's lines are two and two, 512 bytes apart, of 1 KB."""
    return [
        op("SHF.R.IMM", _INDEX, RZ, 5, 0, stall=SAFE),
        op("LOP3.IMM", 54, _INDEX, 1, RZ, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, 256, GLOBAL, stall=SAFE),
        op("SHF.R.IMM", _INDEX, RZ, 1, _INDEX, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, _INDEX, 1024, GLOBAL, stall=SAFE),
        op("MOV.IMM", 54, 1, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, offset, GLOBAL, stall=SAFE),
    ]


def _again(start: int, end: int) -> list[Instruction]:
    """Drop the line, load it, and read the clock before and behind the load."""
    return [
        op("CCTL.E.RML2", GLOBAL, read=0, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        op("MEMBAR.GPU", read=0, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        clock(start, stall=SAFE),
        op("LDG.32.GPU", _LOADED, 4, GLOBAL, 0, write=0, stall=2),
        clock(end, stall=SAFE, wait=1),
    ]
