"""Rows of stores and reductions by three warps while loads of a fourth come from L2: when these are back, by banks."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, block_barrier, clock, sm_warps
from ..sass import RZ, Instruction, op
from .burst import START, from_on, further_on, lanes_apart
from .operations import GLOBAL

OTHER, OTHERS = 56, 1 << 20  # register pair of the rows' addresses, bytes from the loads' words to theirs
ROW = 14  # accesses of each of the three warps
APART = 4096  # bytes from a load to the next
DONE = START + 1
LAST = 1  # predicate: the last warp, which loads
COUNTS = (1, 2)
ROWS: dict[str, tuple[str, Sequence[Instruction]]] = {
    "REDG.ADD at a word of each warp": ("REDG.ADD", lanes_apart(0, 0, 0, 256)),
    "REDG.ADD at 4 words 32 bytes apart": ("REDG.ADD", lanes_apart(32, 3, 0, 256)),
    "STG.32 of 32 lines of one bank": ("STG.32", lanes_apart(128, 0, 0, 4096)),
    "STG.32 of 32 lines of 32 banks": ("STG.32", lanes_apart(132, 0, 0, 8192)),
}


def _behind(words: int) -> Instruction:
    """The address is so many words further on."""
    return op("IADD3.IMM", GLOBAL, GLOBAL, 4 * words, RZ, stall=SAFE)


OF: dict[str, tuple[str, Sequence[Instruction]]] = {
    "LDG.32.GPU at one word": ("LDG.32.GPU", lanes_apart(0, 0, 0, 0)),
    "LDG.32.GPU at one word of bank 5": ("LDG.32.GPU", [*lanes_apart(0, 0, 0, 0), _behind(5)]),
    "LDG.32.GPU at 8 words": ("LDG.32.GPU", lanes_apart(4, 2, 0, 0)),
    "LDG.32.GPU at 8 words from bank 16 on": ("LDG.32.GPU", [*lanes_apart(4, 2, 0, 0), _behind(16)]),
    "LDG.32.GPU at 32 words": ("LDG.32.GPU", lanes_apart(4, 0, 0, 0)),
    "LDG.32.GPU of 4 lines of 8 banks": ("LDG.32.GPU", lanes_apart(128, 3, 4, 0)),
    "LDG.32.GPU of 32 lines": ("LDG.32.GPU", lanes_apart(128, 0, 0, 0)),
    "ATOMG.ADD at 32 words": ("ATOMG.ADD", lanes_apart(4, 0, 0, 0)),
}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for row, (row_name, row_addresses) in ROWS.items():
        for other, (name, addresses) in OF.items():
            prepare = [
                *row_addresses,
                *further_on(OTHER, OTHERS),
                *addresses,
                op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
                *from_on(LAST, 3, 54, 54),
            ]
            for count in COUNTS:
                region = _region(
                    [op(row_name, 4, OTHER, 0, 45, read=0, stall=2)] * ROW,
                    [_load(name, i) for i in range(count)],
                )
                yield Experiment(
                    f"answers/{row}, {count} {other}",
                    region,
                    (START, DONE),
                    prepare,
                    (sm_warps(1),),
                    iterations=6,
                    sync=True,
                    kind="timeline",
                )


def _region(row: Sequence[Instruction], loads: Sequence[Instruction]) -> list[Instruction]:
    return [
        *[op("NOP", stall=SAFE)] * 64,
        *block_barrier("begin"),
        clock(START, stall=4),
        op("BRA", "loads", guard=LAST, stall=5),
        *row,
        op("NOP", wait=0x3F, stall=SAFE),
        clock(DONE, stall=4),
        op("BRA", "join", stall=5),
        op("NOP", label="loads"),
        *loads,
        op("NOP", wait=0x3F, stall=SAFE),
        clock(DONE, stall=4),
        op("NOP", wait=0x3F, stall=SAFE, label="join"),
        *block_barrier("all"),
    ]


def _load(name: str, number: int) -> Instruction:
    if name == "ATOMG.ADD":
        return op(name, 24 + number, 4, GLOBAL, APART * number, 45, write=0, stall=2)
    return op(name, 24 + number, 4, GLOBAL, APART * number, write=0, stall=2)
