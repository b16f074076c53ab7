"""Several blocks on an SM: whose warps issue first. Rows of one instruction by all SMs, in one wave of blocks and more.

The recording keeps of each warp of one SM its slot, its first clock and that behind its row.
"""

from collections.abc import Iterator, Sequence

from ..program import OUT, SAFE, Experiment, Launch, clock, constant
from ..sass import Instruction, op
from .chip import ALL_SMS, full

FIRST, SLOT, SM, LAST = 16, 17, 18, 19  # registers
SOURCES, RESULT, RESULTS = (8, 9), 20, 8
REGISTERS = 32  # of a thread, so that 2,048 have room
COUNT = 256
# Stall counts: a busy pipe, a full queue, a fixed latency, and the queues of the ADU and the MIO.
ROWS = {"IMAD": 1, "MUFU.RCP": 1, "FFMA": 4, "LDC": 1, "S2R.TID": 1}
QUARTER = 50 << 10  # bytes of shared memory of which an SM has room for four times as many


def experiments() -> Iterator[Experiment]:
    """Yield one program for each row."""
    launches = (
        *(full(f"{n} blocks", threads=2048 // n, blocks=n * ALL_SMS) for n in (2, 4, 8, 16)),
        full("16 blocks, four at a time", threads=128, blocks=16 * ALL_SMS, shared=QUARTER),
    )
    for name, stall in ROWS.items():
        row = [_one(name, i).having(stall=stall) for i in range(COUNT)]
        yield between_entries(f"ages/{name}, stall {stall}", row, SOURCES, launches)


def between_entries(
    name: str, row: Sequence[Instruction], sources: Sequence[int], launches: Sequence[Launch]
) -> Experiment:
    """Each warp's slot, SM and first clock, and that behind a row of instructions, which all read some sources."""
    return Experiment(
        name,
        [
            op("S2R.VIRTID", SLOT, write=0),
            op("S2R.SMID", SM, write=1),
            op("NOP", stall=SAFE, wait=0x3F),
            *row,
            op("NOP", stall=SAFE, wait=0x3F),
            clock(LAST, stall=SAFE),
        ],
        [FIRST, SLOT, SM, LAST],
        [constant(register, 0x3F800000) for register in sources],
        launches,
        registers=REGISTERS,
        entry=[clock(FIRST, stall=SAFE)],
        iterations=1,
        kind="entries",
    )


def _one(name: str, i: int) -> Instruction:
    result = RESULT + i % RESULTS
    if name == "LDC":
        return op(name, result, OUT)
    if name.startswith("S2R"):
        return op(name, result)
    return op(name, result, SOURCES[0]) if name.startswith("MUFU") else op(name, result, *SOURCES, SOURCES[0])
