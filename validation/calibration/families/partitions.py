"""Which partition of L2 keeps a line when the other gives it up: SM 0 loads lines, another SM reads, SM 0 loads again.

Loads bypass L1. Half of the lines have their home in the partition that is far from SM 0: it has a copy of these near,
which a load refreshes that finds it there. What the other SM reads fills its own partition whole, and the other one
with those lines alone that have their home there.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, constant
from ..sass import RZ, Instruction, op
from .chip import ALL_SMS, SM, repeated
from .gpu_bandwidth import APART, LINES, MEGABYTE, ONE, beside_others, timed_loads, to
from .operations import GLOBAL

READERS = (1, 2, 3, 20, 40, 60, 131)
MEGABYTES = (4, 24)
NUMBER, LANE = 55, 53  # registers
READ_FROM = 64 * MEGABYTE
ROW, WIDTH = 4, 16  # loads of a turn, bytes of a lane
WAIT_OF_MEGABYTE = 12000  # turns of some 50 cycles: longer than one warp takes to read a megabyte


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for reader in READERS:
        for megabytes in MEGABYTES:
            yield _experiment(reader, megabytes)


def _experiment(reader: int, megabytes: int) -> Experiment:
    """SM 0's second time around is recorded; the other SM stores nothing."""
    region = [
        constant(NUMBER, 0),
        op("ISETP", 0, SM, NUMBER, stall=SAFE),
        op("BRA", "reader", guard=0, stall=5),
        *timed_loads(APART),
        to(0),
        *timed_loads(APART),
        to(0),
        *repeated("wait", megabytes * WAIT_OF_MEGABYTE, []),
        *timed_loads(APART),
        op("BRA", "done", stall=5),
        constant(NUMBER, reader).having(label="reader"),
        op("ISETP", 0, SM, NUMBER, stall=SAFE),
        op("EXIT", guard=0, stall=5),
        to(READ_FROM),
        op("IMAD.WIDE.U32.IMM", GLOBAL, LANE, WIDTH, GLOBAL, stall=SAFE),
        *repeated("read", megabytes * MEGABYTE // (ROW * 32 * WIDTH), _row()),
        op("EXIT", stall=5),
        op("NOP", label="done", stall=SAFE),
    ]
    return beside_others(
        f"partitions/SM {reader} reads {megabytes} MB",
        region,
        LINES,
        op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE),
        Launch("132 blocks", 32, 1, ALL_SMS, flush=True),
    )


def _row() -> list[Instruction]:
    """Read the next ``ROW`` pieces of 512 bytes."""
    loads = [op("LDG.128.GPU", 24 + 4 * i, 4, GLOBAL, 32 * WIDTH * i, stall=2) for i in range(ROW)]
    loads[-1] = loads[-1].having(write=0)
    return [*loads, op("IMAD.WIDE.U32.IMM", GLOBAL, ONE, ROW * 32 * WIDTH, GLOBAL, stall=SAFE, wait=1)]
