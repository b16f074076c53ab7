"""Loads of the same lines by all SMs at once, each so many cycles behind a beat: which of them L2 answers together.

The clocks of a GPC's SMs are in step: the beat is each multiple of 4,096 cycles. What an SM records of each line is
when it asked for it, as the lowest bits of its clock, and how long it took.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1
from .chip import SM, full
from .operations import GLOBAL, setup

LINES = 16
BEAT = 4096  # cycles
APART = 4352  # bytes from line to line
DELAYS = 64  # that SMs may have, so many cycles apart
STEP = 12
FIRST = 64  # register of the first record
TARGET, DELAY, LEFT, NOW = 56, 57, 58, 59  # registers
LOW = (1 << 16) - 1


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name in ("LDG.32", "LDG.32.GPU"):
        for spread in (0, STEP):
            yield _experiment(name, spread)


def _experiment(name: str, spread: int) -> Experiment:
    """Each SM asks for a line at each beat, and up to 63 times ``spread`` cycles later."""
    region = [
        *EMPTY_L1,
        clock(NOW, stall=SAFE),
        op("IADD3.IMM", NOW, NOW, BEAT, RZ, stall=SAFE),
        op("LOP3.IMM", TARGET, NOW, (1 << 32) - BEAT, RZ, stall=SAFE),
    ]
    for i in range(LINES):
        region += _line(name, i, spread)
    return Experiment(
        f"coalesced/{name}, {spread} cycles apart",
        region,
        (SM, *range(FIRST, FIRST + 2 * LINES)),
        [*setup(lane_stride=0), op("S2R.SMID", SM, write=0, stall=SAFE), op("NOP", stall=SAFE, wait=0x3F)],
        (full(threads=32),),
        registers=128,
        iterations=3,
        kind="cycles",
    )


def _line(name: str, i: int, spread: int) -> list[Instruction]:
    """Wait for the beat, and longer, then load a line."""
    asked, took = FIRST + 2 * i, FIRST + 2 * i + 1
    return [
        op("IADD3.IMM", TARGET, TARGET, BEAT, RZ, stall=SAFE),
        op("IMAD.IMM", DELAY, SM, 2 * i + 11, RZ, stall=SAFE),
        op("LOP3.IMM", DELAY, DELAY, DELAYS - 1, RZ, stall=SAFE),
        op("IMAD.IMM", DELAY, DELAY, spread, TARGET, stall=SAFE),
        op("IMAD.IMM", DELAY, DELAY, -1, RZ, stall=SAFE),
        clock(NOW, stall=13).having(label=f"wait {i}"),
        op("IADD3", LEFT, NOW, DELAY, RZ, stall=5),
        op("SHF.R.IMM", LEFT, RZ, 31, LEFT, stall=5),
        op("ISETP", 0, LEFT, RZ, stall=13),
        op("BRA", f"wait {i}", guard=0, stall=5),
        clock(asked, stall=4),
        op(name, 24, 4, GLOBAL, i * APART, write=0, stall=2),
        clock(took, stall=SAFE, wait=1),
        op("IMAD.IMM", NOW, asked, -1, RZ, stall=SAFE),
        op("IADD3", took, took, NOW, RZ, stall=SAFE),
        op("LOP3.IMM", asked, asked, LOW, RZ, stall=SAFE),
    ]
