"""Which of the lines that all SMs have stored L2 still holds when all have loaded so much: SM 0 loads some of them.

Loads bypass L1. L2 gives up a stored line by writing it back, which is late where others that were used before it may
go instead: how long SM 0 waits for a line says whether DRAM has it. A thread has so many loads on their way at a time,
which decides how busy DRAM is.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, constant
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, SM, full, repeated
from .gpu_bandwidth import LINES, MEGABYTE, ONE, beside_others, timed_loads, to
from .operations import GLOBAL, result

THREADS, WIDTH = 512, 16  # of a block, bytes of a lane
TURN = ALL_SMS * THREADS * WIDTH  # bytes
STORED = 16  # turns
LOADED = (8, 16, 24, 32, 40, 48, 64)
AT_ONCE = (2, 4, 8)  # loads of a thread, of a turn each
FIRST_LINES = (0, 5, 10, 15)  # of those that are looked for
READ_FROM = 64 * MEGABYTE
FURTHER = 2 * MEGABYTE  # bytes from one launch to the next
APART = STORED * TURN // LINES & ~127
SETTLES, ENDS = 400, 1500  # turns of some 50 cycles: longer than the stores and the loads take
NUMBER, WARP = 53, 55  # registers


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for at_once in AT_ONCE:
        for turns in LOADED:
            for first in FIRST_LINES:
                yield _experiment(at_once, turns, first)


def _experiment(at_once: int, turns: int, first: int) -> Experiment:
    """SM 0's first warp is recorded; the others store nothing that is kept."""
    region = [
        op("ISETP", 1, WARP, RZ, stall=SAFE),
        constant(NUMBER, THREADS),
        op("IMAD", NUMBER, 5, NUMBER, 0, stall=SAFE),
        *_at(0),
        *repeated("store", STORED, [op("STG.128", 4, GLOBAL, 0, 40, read=0, stall=2), _on(wait=1)]),
        *repeated("settle", SETTLES, []),
        *_at(READ_FROM),
        *repeated("read", turns // at_once, _reads(at_once)),
        *repeated("wait", ENDS, []),
        op("ISETP", 0, SM, RZ, stall=SAFE),
        op("EXIT", guard=0, stall=5),
        op("EXIT", guard=1, stall=5),
        to(first * 128),
        *timed_loads(APART),
    ]
    return beside_others(
        f"given_up/{STORED} stored, {turns} loaded, {at_once} at once, line {first}",
        region,
        LINES,
        op("SHF.R.IMM", WARP, RZ, 5, 0, stall=SAFE),
        full(threads=THREADS, flush=True, advance=FURTHER),
    )


def _at(distance: int) -> list[Instruction]:
    """Point to the thread's piece of what begins so many bytes behind the beginning of the buffer."""
    return [to(distance), op("IMAD.WIDE.U32.IMM", GLOBAL, NUMBER, WIDTH, GLOBAL, stall=SAFE)]


def _on(wait: int = 0) -> Instruction:
    """Point to the thread's piece of the next turn."""
    return op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, TURN, GLOBAL, stall=SAFE, wait=wait)


def _reads(at_once: int) -> list[Instruction]:
    """Each thread reads its piece of some turns, then waits for them."""
    body: list[Instruction] = []
    for i in range(at_once):
        body += [op("LDG.128.GPU", result(i, 4), 4, GLOBAL, 0, stall=2, write=0, read=1), _on(wait=2)]
    return [*body, op("NOP", stall=SAFE, wait=1)]
