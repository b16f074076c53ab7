"""How many lines L1 waits for at once: 32 warps load from the host's memory, each load lines of its own.

A clock is read behind each load and when all of a warp's are back. The host answers after 2,400 cycles and more: what
has issued before that waits, or fills the queues.
"""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock
from ..sass import RZ, Instruction, op

WARPS, COUNT = 32, 8  # loads of each
LINE = 128  # bytes
LINES = WARPS * COUNT * 32  # of the host's memory, as many as all lanes may load
SPREAD = 2741  # an odd number: its multiples are lines anywhere, each once
RESULT, INDEX, SCRATCH, FIRST = 8, 10, 11, 12  # registers
ADDRESSES = FIRST + COUNT + 2
# By name how many lanes load from a line, and by how many lines the next one of a load's is further on.
PATTERNS = {
    "32 lines side by side": (1, 1),
    "32 lines 32 KB apart": (1, LINES // 32),
    "32 lines anywhere": (1, SPREAD),
    "16 lines side by side": (2, 1),
    "16 lines anywhere": (2, SPREAD),
    "8 lines side by side": (4, 1),
}
SHARED = (0, 32 << 10, 96 << 10, 160 << 10)  # bytes of shared memory


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    launches = [
        Launch(f"{size >> 10} KB shared", 32 * WARPS, (1 << WARPS) - 1, shared=size, data="host") for size in SHARED
    ]
    for name, (lanes, apart) in PATTERNS.items():
        row: list[Instruction] = []
        for i in range(COUNT):
            row += [op("LDG.32", RESULT, 4, ADDRESSES + 2 * i, write=0, stall=2), clock(FIRST + i, stall=2)]
        yield Experiment(
            f"awaited/{name}",
            [*row, clock(FIRST + COUNT, wait=1, stall=2)],
            range(FIRST, FIRST + COUNT + 1),
            _addresses(lanes, apart),
            launches,
            iterations=1,
            sync=True,
            kind="timeline",
        )


def _addresses(lanes: int, apart: int) -> list[Instruction]:
    """The addresses of a warp's loads: the lines of all loads of all warps are each another one."""
    each = 32 // lanes
    code = [
        op("LOP3.IMM", INDEX, 0, 31, RZ, stall=SAFE),
        op("SHF.R.IMM", INDEX, RZ, lanes.bit_length() - 1, INDEX, stall=SAFE),
        op("LDC.64", ADDRESSES, DATA, write=0, stall=SAFE),
        op("SHF.R.IMM", SCRATCH, RZ, 5, 0, stall=SAFE),
    ]
    if apart * each == LINES:
        # The lines of a load lie all over the memory, those of different loads side by side.
        code += [op("IMAD.IMM", INDEX, INDEX, apart, RZ, stall=SAFE)]
        code += [op("IMAD.IMM", INDEX, SCRATCH, COUNT, INDEX, stall=SAFE)]
        further = 1
    else:
        code += [op("IMAD.IMM", SCRATCH, SCRATCH, COUNT * each, RZ, stall=SAFE)]
        code += [op("IADD3", INDEX, INDEX, SCRATCH, RZ, stall=SAFE)]
        code += [op("IMAD.IMM", INDEX, INDEX, apart, RZ, stall=SAFE)]
        further = each * apart
    code += [op("NOP", stall=SAFE, wait=1)]
    for i in reversed(range(COUNT)):
        address = ADDRESSES + 2 * i
        code += [
            op("IADD3.IMM", SCRATCH, INDEX, i * further, RZ, stall=SAFE),
            op("LOP3.IMM", SCRATCH, SCRATCH, LINES - 1, RZ, stall=SAFE),
            op("IMAD.WIDE.U32.IMM", address, SCRATCH, LINE, ADDRESSES, stall=SAFE),
        ]
    return code
