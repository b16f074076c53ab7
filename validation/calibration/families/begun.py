"""The beginning of a compiled kernel by the warps of eight blocks of an SM: when each is past some of its instructions.

`strided_stores` up to its first store, which is left out: constants, special registers and a division, as the compiler
ordered them, by so many warps that they wait for their turns to issue. The recording keeps of each warp of one SM its
slot, its first clock and that at the program's place.
"""

from collections.abc import Iterator

import kernels
from isa.instruction import Instruction as Compiled
from isa.module import load_source

from ..program import OUT, RECORDS, SAFE, Experiment, clock
from ..sass import RZ, Instruction, Quoted, op
from .chip import ALL_SMS, full

# Registers that the kernel leaves alone so far; the last ones of 32 are no program's.
FIRST, SLOT, SM, LAST = 26, 27, 28, 29
# Addresses of instructions behind which a program has its clock: LDC, the second ULDC, S2R.TID, what waits for that,
# what waits for F2I, and the last before the branch to the loop of stores.
PLACES = (0x00, 0x40, 0x50, 0x70, 0x190, 0x250)
ENTRY = "strided_stores"
EARLY_EXIT = 0x90  # of threads beyond the array's end, of which there are none
WARPS = 8  # of a block


def experiments() -> Iterator[Experiment]:
    """Yield one program for each place."""
    kernel = kernels.get(ENTRY)
    code = load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry).instructions
    for place in PLACES:
        yield Experiment(
            f"begun/{place:#x}",
            [op("NOP", stall=SAFE)],
            [FIRST, SLOT, SM, LAST],
            launches=[full(f"{n} blocks", threads=32 * WARPS, blocks=n * ALL_SMS) for n in (1, 2, 4, 8)],
            registers=32,
            entry=[clock(FIRST, stall=2), *_beginning(code, place), *_end()],
            iterations=1,
            kind="entries",
        )


def _beginning(code: tuple[Compiled, ...], place: int) -> list[Instruction]:
    """The kernel's instructions, in one of which a clock follows."""
    beginning: list[Instruction] = []
    for one in code:
        if one.address > PLACES[-1]:
            break
        if one.address == EARLY_EXIT or one.opcode == "BSSY":
            beginning.append(op("NOP", stall=one.control.stall))
        else:
            beginning.append(Quoted("", bits=one.encoding, printed=one.text))
        if one.address == place:
            beginning.append(clock(LAST, stall=2))
    return beginning


def _end() -> list[Instruction]:
    """The warp's records are stored."""
    return [
        op("NOP", wait=0x3F, stall=SAFE),
        op("S2R.VIRTID", SLOT, write=0),
        op("S2R.SMID", SM, write=1),
        op("S2R.TID", 0, write=2),
        op("S2R.CTAID", 5, write=3),
        op("LDC.64", 2, OUT, write=4),
        op("NOP", wait=0x3F, stall=SAFE),
        op("SHF.R.IMM", 4, RZ, 5, 0, stall=SAFE),
        op("IMAD.IMM", 1, 5, WARPS, 4, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", 2, 1, 4 * RECORDS, 2, stall=SAFE),
        op("LOP3.P", 6, RZ, 0, 31, RZ, stall=SAFE),
        *(op("STG.32", 4, 2, 4 * i, r, guard=~6, stall=4) for i, r in enumerate((FIRST, SLOT, SM, LAST))),
        op("EXIT", stall=5),
    ]
