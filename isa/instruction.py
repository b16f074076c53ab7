"""One SASS instruction: decoded once, read by the emulator, the timing model and the reports."""

from dataclasses import dataclass

from isa.control import ControlCode
from isa.operand import Operand, Register

INSTRUCTION_BYTES = 16


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A place in the CUDA source, from the cubin's line table."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of a program.

    Attributes:
        index: position in the program; its address is ``16 * index``.
        opcode: base opcode, e.g. "IMAD"; an opcode whose text has a dot that is part of its name keeps it
            ("HFMA2.MMA").
        modifiers: the rest, in the order printed, e.g. ("WIDE", "U32").
        guard: the guard predicate, ``None`` when always executed.
        operands: as printed, destinations first.
        destinations: how many of ``operands`` are written (from the opcode table).
        reads: every register read, widened to single 32-bit registers (``R4.64`` or a 64-bit source is R4 and R5), the
            guard and predicate sources included, RZ, URZ and PT left out.
        writes: the same for registers written.
        control: the control code.
        encoding: the 128 bits.
        text: as nvdisasm prints it, guard included, without the semicolon.
        pipe: the pipe that executes it (from the opcode table), e.g. "fma", "alu", "lsu".
        latency_class: row of the latency tables (from the opcode table).
        source: place in the CUDA source, when the cubin has a line table.
    """

    index: int
    opcode: str
    modifiers: tuple[str, ...]
    guard: Register | None
    operands: tuple[Operand, ...]
    destinations: int
    reads: frozenset[Register]
    writes: frozenset[Register]
    control: ControlCode
    encoding: int
    text: str
    pipe: str
    latency_class: str
    source: SourceLine | None = None

    @property
    def address(self) -> int:
        """Byte offset from the start of the kernel's code."""
        return self.index * INSTRUCTION_BYTES
