"""Single loads of SM 0 while all loads of the other SMs miss L2: of a line that L2 lacks, then of the same line again.

What the second load takes is the wait in front of L2, by which the first one is longer than DRAM takes for it.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, constant
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, SM, full, repeated
from .gpu_bandwidth import APART, FIRST, MEGABYTE, ONE, beside_others
from .operations import GLOBAL, result

PAIRS = 14
THREADS = (64, 128, 256, 512)  # of each other SM
AT_ONCE = (1, 2, 4)  # loads of each of them
STREAMED = 448 * MEGABYTE
LINE = 128
BEFORE = 200  # turns of some 50 cycles, until the others are at work
WARP, THREAD = 55, 53  # registers


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for at_once in AT_ONCE:
        for threads in THREADS:
            yield _experiment(at_once, threads)


def _experiment(at_once: int, threads: int) -> Experiment:
    """SM 0's first warp is recorded; the others store nothing."""
    step = ALL_SMS * threads * LINE  # bytes, for one load of each thread
    region = [
        op("ISETP", 1, WARP, RZ, stall=SAFE),
        op("ISETP", 0, SM, RZ, stall=SAFE),
        op("BRA", "others", guard=0, stall=5),
        op("EXIT", guard=1, stall=5),
        *repeated("wait", BEFORE, []),
        *_pairs(),
        op("BRA", "done", stall=5),
        constant(THREAD, threads).having(label="others"),
        op("IMAD", THREAD, 5, THREAD, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, MEGABYTE, GLOBAL, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, THREAD, LINE, GLOBAL, stall=SAFE),
        *repeated("read", STREAMED // step // at_once, _reads(at_once, step)),
        op("EXIT", stall=5),
        op("NOP", label="done", stall=SAFE),
    ]
    return beside_others(
        f"backlog/{threads} threads, {at_once} loads each",
        region,
        2 * PAIRS,
        op("SHF.R.IMM", WARP, RZ, 5, 0, stall=SAFE),
        full(threads=threads, flush=True),
    )


def _pairs() -> list[Instruction]:
    """Loads one after the other, each timed, two of each line."""
    body = [op("NOP", stall=SAFE, wait=0x3F)]
    for i in range(2 * PAIRS):
        load = op("LDG.32.GPU", 24, 4, GLOBAL, i // 2 * APART, write=0, stall=2)
        body += [clock(FIRST + 2 * i, stall=4), load, clock(FIRST + 2 * i + 1, stall=SAFE, wait=1)]
    return body


def _reads(at_once: int, step: int) -> list[Instruction]:
    """Each thread reads a line, and another one, ``step`` bytes on, then waits for them."""
    body: list[Instruction] = []
    for i in range(at_once):
        load = op("LDG.32.GPU", result(i), 4, GLOBAL, stall=2, write=0, read=1)
        body += [load, op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, step, GLOBAL, wait=2, stall=SAFE)]
    return [*body, op("NOP", stall=SAFE, wait=1)]
