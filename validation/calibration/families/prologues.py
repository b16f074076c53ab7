"""The first instructions of a launch's warps: constants that LDC misses, special registers, and who goes on when.

Clocks stand before everything else, behind each wait and where the loop of a kernel would begin.
"""

from collections.abc import Iterator

from ..program import DATA, NTID, SAFE, Experiment, clock, first_warps
from ..sass import Instruction, op

WARPS = (1, 2, 4, 5, 8, 12, 16, 24, 32)
STACK, COUNT = 0x28, 0x228  # of two lines
FIRST_CLOCK = 40


def experiments() -> Iterator[Experiment]:
    """Yield the beginnings that are asked for, each by several numbers of warps."""
    for name, entry in _entries().items():
        region = [op("NOP", stall=SAFE)]
        clocks = [i.operands["d"] for i in entry if i.name == "CS2R.32"]
        yield Experiment(
            f"prologues/{name}",
            region,
            clocks,  # type: ignore[arg-type]
            launches=first_warps(WARPS),
            entry=entry,
            iterations=1,
            kind="timeline",
        )


def _entries() -> dict[str, list[Instruction]]:
    """By name what the kernel begins with."""
    first = _at(0, stall=2)
    stack = op("LDC", 16, STACK, stall=8)
    count = op("LDC", 17, COUNT, write=0, stall=2)
    both = [stack, count]
    indices = [op("S2R.TID", 18, write=0), op("S2UR.CTAID", 8, write=0, stall=8)]
    again = [op("LDC", 19, NTID, write=0, stall=8), op("LDC.64", 20, DATA, write=1, stall=2)]
    apart = [
        op("S2R.TID", 18, write=0),
        op("S2UR.CTAID", 8, write=1, stall=8),
        op("LDC", 19, NTID, write=2, stall=8),
        op("LDC.64", 20, DATA, write=3, stall=2),
    ]
    guard = [op("NOP", stall=13), op("NOP", stall=5)]
    late = [op("NOP", stall=SAFE)] * 40
    return {
        "clocks": [first, _at(1, stall=2), _at(2, stall=SAFE), _at(3, stall=SAFE)],
        "LDC": [first, op("LDC", 16, STACK, write=0, stall=2), _at(1, wait=1, stall=SAFE)],
        "LDC of parameters": [first, op("LDC", 16, COUNT, write=0, stall=2), _at(1, wait=1, stall=SAFE)],
        "LDC of two lines": [first, *both, _at(1, wait=1, stall=SAFE)],
        "LDC of two lines, no clock before": [*both, _at(1, wait=1, stall=SAFE)],
        "LDC of two lines, each awaited": [
            first,
            op("LDC", 16, STACK, write=0, stall=2),
            _at(1, wait=1, stall=SAFE),
            count,
            _at(2, wait=1, stall=SAFE),
        ],
        "kernel": [*both, _at(0, wait=1, stall=2), *guard, *indices, *again, _at(1, wait=1, stall=2), _at(2, wait=2)],
        "kernel, no clock within": [*both, guard[0].having(wait=1), guard[1], *indices, *again, _at(0, wait=3)],
        "kernel, each awaited": [
            *both,
            _at(0, wait=1, stall=2),
            *guard,
            *apart,
            *(_at(1 + i, wait=1 << i, stall=2) for i in range(4)),
        ],
        "S2R and LDC that hit": [
            *both,
            op("LDC", 19, NTID, write=0, stall=2),
            _at(0, wait=1, stall=SAFE),
            *late,
            _at(1, stall=2),
            *apart,
            *(_at(2 + i, wait=1 << i, stall=2) for i in range(4)),
        ],
        "S2UR": [*both, guard[0].having(wait=1), *late, _at(0, stall=2), apart[1].having(stall=2), _at(1, wait=2)],
        "ULDC": [*both, guard[0].having(wait=1), *late, _at(0, stall=2), op("ULDC.64", 4, 0x208, stall=6), _at(1)],
        "ULDC first": [_at(0, stall=2), op("ULDC.64", 4, 0x208, stall=6), _at(1, stall=2)],
    }


def _at(number: int, **control: object) -> Instruction:
    """A clock, the so manieth of the beginning."""
    return clock(FIRST_CLOCK + number, **control)
