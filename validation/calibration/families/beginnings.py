"""The first instructions of the catalogue's kernels by many warps: when each warp gets past each of them.

A program has one clock before everything and one behind one of the instructions, which are the compiler's, control
codes included: how constants that LDC and ULDC miss, the ADU's queues and the choice among warps play together.
"""

from collections.abc import Iterator

from ..program import DATA, NTID, SAFE, Experiment, clock, first_warps
from ..sass import RZ, Instruction, op
from .prologues import COUNT, STACK

WARPS = (8, 16, 24, 32)
FIRST_CLOCK, LAST_CLOCK = 50, 51
GRID, DESCRIPTOR, SCALE = 0xC, 0x208, 0x224
INDEX = 43
# By kernel the places behind which the programs have their clock.
CLOCKS = {
    "vec_add_x1": (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
    "vec_add_x2": (6, 7, 8, 9, 10, 11, 12, 13, 18, 19, 21),
    "vec_add_x4": (5, 6, 7, 8, 9, 11, 13, 15, 28, 29, 30),
    "scale_scalar": (0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15),
}


def experiments() -> Iterator[Experiment]:
    """Yield each kernel's beginning with its clock at each place, then shorter rows."""
    for kernel, code in _kernels().items():
        for place in CLOCKS[kernel]:
            behind = clock(LAST_CLOCK, stall=2)
            yield _experiment(f"{kernel}/{place}", [*code[: place + 1], behind, *code[place + 1 :]])
    for name, code in _rows().items():
        yield _experiment(name, code)


def _experiment(name: str, code: list[Instruction]) -> Experiment:
    return Experiment(
        f"beginnings/{name}",
        [op("NOP", stall=SAFE)],
        [FIRST_CLOCK, LAST_CLOCK],
        launches=first_warps(WARPS),
        entry=[clock(FIRST_CLOCK, stall=2), *code],
        iterations=1,
        kind="timeline",
    )


def _rows() -> dict[str, list[Instruction]]:
    """LDCs of two lines, so many cycles apart, and of one line beside S2UR."""
    last = clock(LAST_CLOCK, wait=1, stall=2)
    rows = {}
    for apart in (2, 4, 8, 16, 32, 64):
        rows[f"LDC of two lines, {apart} apart"] = [
            op("LDC", 16, STACK, stall=min(apart, 8)),
            *[op("NOP", stall=8)] * ((apart - 8) // 8),
            op("LDC", 17, COUNT, write=0, stall=2),
            last,
        ]
    four = [op("LDC", 16 + i, 4 * i, write=0, stall=8) for i in range(4)]
    rows["LDC x 4 of a line"] = [*four, last]
    rows["LDC x 2 of two lines"] = [*four[:2], *(op("LDC", 18 + i, COUNT, write=0, stall=8) for i in range(2)), last]
    rows["S2UR and LDC of a line"] = [op("S2UR.CTAID", 8, write=0, stall=8), *four[:2], last]
    rows["ULDC of two lines"] = [
        op("ULDC", 8, GRID, yield_=True, stall=2),
        op("ULDC.64", 4, DESCRIPTOR, yield_=True, stall=6),
        clock(LAST_CLOCK, stall=2),
    ]
    return rows


def _kernels() -> dict[str, list[Instruction]]:
    """The kernels' instructions up to the first that waits for a load; what points nowhere is replaced."""
    indices = [
        op("LDC", 17, STACK),
        op("S2R.TID", 16, write=0, stall=7),
        op("S2UR.CTAID", 4, write=0, stall=8),
    ]
    index = op("IMAD.UR", INDEX, 25, 4, 16, wait=1)
    arrays = [
        *indices,
        op("LDC", 25, NTID, write=0, stall=8),
        op("LDC.64", 18, DATA, write=1, stall=8),
        op("LDC.64", 20, DATA, write=2),
        index,
    ]
    grid = op("ULDC", 4, GRID, yield_=True, stall=6)
    descriptor = op("ULDC.64", 4, DESCRIPTOR, yield_=True, stall=6)
    out = op("LDC.64", 22, DATA, write=0)
    return {
        "vec_add_x1": [
            *arrays,
            descriptor,
            out,
            _pointer(18, INDEX, 18, wait=2, yield_=True, stall=6),
            _load(19, 18, write=3),
            _pointer(20, INDEX, 20, wait=4, yield_=True, stall=6),
            _load(20, 20, write=3),
            _pointer(22, INDEX, 22, wait=1, yield_=True, stall=4),
            op("FADD", 25, 20, 19, wait=8, yield_=True, stall=5),
        ],
        "vec_add_x2": [
            *arrays,
            grid,
            out,
            op("IMAD.UR", 31, 25, 4, RZ),
            descriptor.having(yield_=False, stall=1),
            _pointer(18, INDEX, 18, wait=2, yield_=True, stall=4),
            _pointer(26, 31, 18, stall=2),
            _load(18, 18, write=3, stall=2),
            _pointer(20, INDEX, 20, wait=4, stall=2),
            _load(26, 26, write=2, stall=2),
            _pointer(28, 31, 20, stall=2),
            _load(21, 20, write=3, stall=4),
            _load(29, 28, write=2),
            _pointer(22, INDEX, 22, wait=1, yield_=True, stall=4),
            _pointer(24, 31, 22, yield_=True, stall=4),
            op("FADD", 33, 18, 21, wait=8),
            op("FADD", 31, 26, 29, wait=4, yield_=True, stall=4),
        ],
        "vec_add_x4": [
            *arrays,
            grid.having(stall=2),
            op("IMAD.UR", 16, 25, 4, RZ),
            descriptor.having(stall=4),
            op("IADD3", 24, 16, 16, INDEX),
            _pointer(32, INDEX, 18, wait=2, yield_=True, stall=3),
            op("IADD3", 23, 16, 24, RZ, stall=2),
            _load(29, 32, write=3),
            _pointer(36, 16, 32, yield_=True, stall=4),
            _pointer(30, INDEX, 20, wait=4, stall=2),
            _load(37, 36, write=2, stall=2),
            _pointer(38, 24, 20, stall=2),
            _load(42, 30, write=3, read=0, stall=2),
            _pointer(34, 16, 30, stall=2),
            _load(28, 38, write=4, stall=2),
            _pointer(40, 23, 20, yield_=True, stall=2),
            _load(22, 34, write=2, stall=2),
            _pointer(26, 24, 18),
            op("LDC.64", 30, DATA, wait=1, write=0),
            _load(40, 40, write=5, stall=2),
            _pointer(18, 23, 18, stall=2),
            _load(27, 26, write=4, stall=4),
            _load(19, 18, write=5),
            _pointer(44, INDEX, 30, wait=1, yield_=True, stall=4),
            op("FADD", 29, 42, 29, wait=8),
            _pointer(46, 24, 30, yield_=True, stall=4),
        ],
        "scale_scalar": [
            *indices,
            op("LDC", 25, NTID, write=0, stall=2),
            index,
            op("ULDC", 4, SCALE, yield_=True, stall=4),
            op("ISETP", 0, RZ, RZ, stall=13),
            op("EXIT", guard=0, stall=5),
            op("LDC.64", 18, DATA, write=0),
            descriptor.having(yield_=False, stall=1),
            op("ULDC", 6, DATA, yield_=True, stall=6),
            op("LDC.64", 20, DATA, write=1),
            _pointer(18, INDEX, 18, wait=1, yield_=True, stall=6),
            _load(18, 18, write=2),
            _pointer(20, INDEX, 20, wait=2, yield_=True, stall=4),
            op("FADD", 25, 18, RZ, wait=4, yield_=True, stall=5),
        ],
    }


def _pointer(d: int, index: int, array: int, **control: object) -> Instruction:
    return op("IMAD.WIDE.U32.IMM", d, index, 4, array, **control)


def _load(d: int, at: int, **control: object) -> Instruction:
    return op("LDG.32.CONSTANT", d, 4, at, **control)
