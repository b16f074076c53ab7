"""Straight pieces of compiled code: what many rules together make of instructions in the compiler's order.

The pieces are windows of the generated register kernels, as NVRTC compiles them, with its stall counts, reuse flags and
barriers. `compiled/NAME/steps`: one warp, the first 0, 1, 2 ... instructions of the piece between two clock reads, so
that the first instruction whose time is off shows. `compiled/NAME/whole`: the piece between two clock reads by several
warps; `compiled/NAME/marked`: the same with a clock read after every few instructions.
"""

from collections.abc import Iterator, Sequence

import kernels
from isa.instruction import Instruction as Compiled
from isa.module import load_source
from isa.operand import Constant, RegisterFile
from isa.program import Program

from ..program import SAFE, Experiment, clock, constant, smsp_warps
from ..sass import RZ, Instruction, Quoted, op

LENGTH = 30  # instructions of a piece
PIECES = 2  # of a kernel
MARKED = 6  # instructions between two clock reads
SAVED = 48  # R0 to R7 of the kernel around are kept from here on
FIRST_CLOCK = 56
_LEAD = 4
_WARPS = (1, 2, 3, 4)
# What leaves the straight line, reads the clock, or touches memory that the shell does not have.
_OPCODES_OUT = frozenset(
    [
        *("BRA", "BSSY", "BSYNC", "BREAK", "BRX", "CALL", "RET", "EXIT", "BAR", "WARPSYNC", "YIELD", "NANOSLEEP"),
        *("NOP", "BMOV", "S2R", "S2UR", "CS2R", "LDC", "ULDC", "VOTEU", "R2UR", "R2P", "SHFL", "MEMBAR"),
        *("LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL", "ATOM", "ATOMG", "ATOMS", "RED"),
    ]
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name in kernels.generated.names():
        if not name.startswith("random_registers"):
            continue
        kernel = kernels.get(name)
        program = load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)
        if program.num_regs > SAVED:
            continue
        for piece in pieces(program):
            title = f"compiled/{name}+{piece[0].index}"
            body = [Quoted("", bits=one.encoding, printed=one.text) for one in piece]
            yield _steps(f"{title}/steps", body)
            yield _timed(f"{title}/whole", body, LENGTH)
            yield _timed(f"{title}/marked", body, MARKED)


def pieces(program: Program) -> list[Sequence[Compiled]]:
    """The windows of a program with the most different operations, apart from each other."""
    code = program.instructions
    windows = [code[i : i + LENGTH] for i in range(len(code) - LENGTH + 1)]
    usable = [window for window in windows if all(map(_usable, window))]
    chosen: list[Sequence[Compiled]] = []
    while usable and len(chosen) < PIECES:
        best = max(usable, key=lambda window: len({(one.opcode, one.modifiers) for one in window}))
        chosen.append(best)
        usable = [window for window in usable if abs(window[0].index - best[0].index) >= LENGTH]
    return chosen


def _usable(instruction: Compiled) -> bool:
    if instruction.opcode in _OPCODES_OUT or any(isinstance(one, Constant) for one in instruction.operands):
        return False
    return all(register.index < SAVED or register.file != RegisterFile.GENERAL for register in instruction.writes)


def _setup() -> list[Instruction]:
    """Known values everywhere, so that guards are what the emulator says."""
    return [
        *(constant(register, 0x3F800000 + 77777 * register) for register in range(8, SAVED)),
        *(op("ISETP", predicate, 8 + predicate % 2, 8, stall=SAFE) for predicate in range(5)),
        *(op("UMOV.IMM", register, 3 + register, stall=SAFE) for register in range(16) if register not in (4, 5)),
    ]


def _save() -> list[Instruction]:
    """The registers of the kernel around."""
    return [op("IADD3.IMM", SAVED + i, i, 0, RZ, stall=SAFE) for i in range(8)]


def _restore() -> list[Instruction]:
    """What the kernel around needs, after pieces that write where they like."""
    return [
        op("NOP", wait=0x3F, stall=SAFE),
        *(op("IADD3.IMM", i, SAVED + i, 0, RZ, stall=SAFE) for i in range(8)),
        op("LOP3.P", 6, RZ, 0, 31, RZ, stall=SAFE),
        op("ULDC.64", 4, 0x208, stall=SAFE),
    ]


def _steps(name: str, body: list[Quoted]) -> Experiment:
    region = _save()
    records = range(FIRST_CLOCK, FIRST_CLOCK + 2 * (len(body) + 1))
    for count in range(len(body) + 1):
        region += [op("NOP", wait=0x3F, stall=SAFE), clock(records[2 * count], stall=_LEAD)]
        region += [*body[:count], clock(records[2 * count + 1], stall=SAFE)]
    return Experiment(name, [*region, *_restore()], records, _setup(), registers=128, kind="timeline")


def _timed(name: str, body: list[Quoted], every: int) -> Experiment:
    region = [*_save(), clock(FIRST_CLOCK, stall=_LEAD)]
    register = FIRST_CLOCK
    for first in range(0, len(body), every):
        register += 1
        region += [*body[first : first + every], clock(register, stall=_LEAD)]
    launches = [smsp_warps(count) for count in _WARPS]
    records = range(FIRST_CLOCK, register + 1)
    return Experiment(
        name, [*region, *_restore()], records, _setup(), launches, registers=64, kind="timeline", sync=True
    )
