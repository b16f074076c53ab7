"""What an instruction reads from the register file, by operand slot, and what the reuse cache spares it.

Rules seen on the H100 (microbenchmarks ``banks``, ``ports``): even and odd registers are two banks with a port each; a
register that stands in two slots is read once for both, but for C of IMAD.WIDE and IMAD.HI, a pair that is read by
itself, its upper half for the second pass. An operand marked ``.reuse`` need not be read again by the next instruction
with the same register in the same slot, as long as none between reads another register of the bank into it; whether it
was forwarded, and so not kept, shows only as it goes: smsim.rules.register_file. The FP64 unit has operands, and a
reuse cache, of its own. Uniform registers, constants and immediates take no port.
"""

from typing import NamedTuple

from isa.instruction import Instruction
from isa.operand import RZ, Immediate, Operand, Register, RegisterFile

A, B, C = range(3)
SLOTS = 3
NUM_BANKS = 2
_WITHOUT_B = frozenset(["FADD", "DADD", "DSETP", "HADD2"])
_WIDE = frozenset(["WIDE", "HI"])


class Read(NamedTuple):
    """One read of a register.

    Attributes:
        register: which; its bank is its number modulo 2.
        slots: the operand slots that it fills, bit mask.
        is_late: it is for the second pass.
    """

    register: int
    slots: int
    is_late: bool


def source_registers(instruction: Instruction) -> list[frozenset[int]]:
    """The general registers that each of the operand slots A, B and C reads."""
    slots: list[frozenset[int]] = [frozenset()] * SLOTS
    general = {register.index for register in instruction.reads if register.file is RegisterFile.GENERAL}
    sources = _sources(instruction)
    for slot, operand in zip(_slots_of(instruction, len(sources)), sources, strict=False):
        if isinstance(operand, Register) and operand.file is RegisterFile.GENERAL and operand.index != RZ:
            registers = {operand.index}
            if operand.index % 2 == 0 and operand.index + 1 in general and _reads_pair(instruction, slot):
                registers.add(operand.index + 1)
            slots[slot] = frozenset(registers)
    return slots


def _sources(instruction: Instruction) -> list[Operand]:
    """The operands read, without predicates; two immediates side by side, halves of a packed one, count as one."""
    sources: list[Operand] = []
    for operand in instruction.operands[instruction.destinations :]:
        if isinstance(operand, Register) and operand.file in (RegisterFile.PREDICATE, RegisterFile.UNIFORM_PREDICATE):
            continue
        if not (sources and isinstance(sources[-1], Immediate) and isinstance(operand, Immediate)):
            sources.append(operand)
    return sources


def _slots_of(instruction: Instruction, sources: int) -> tuple[int, ...]:
    """The slot of each source: additions leave B empty, and what has one source reads it there.

    ptxas marks for reuse by slot: which bit goes with which operand shows it.
    """
    if instruction.opcode in _WITHOUT_B:
        return (A, C)
    return (B,) if sources == 1 else (A, B, C)


def _reads_pair(instruction: Instruction, slot: int) -> bool:
    return instruction.latency_class == "redirected_fp64" or (slot == C and _is_wide(instruction))


def _is_wide(instruction: Instruction) -> bool:
    return instruction.opcode == "IMAD" and not _WIDE.isdisjoint(instruction.modifiers)


def operand_reads(instruction: Instruction) -> list[Read]:
    """Every register that is read, in the order of the slots."""
    slots: dict[tuple[int, bool], int] = {}
    for slot, registers in enumerate(source_registers(instruction)):
        alone = slot == C and _is_wide(instruction)
        for register in sorted(registers):
            slots[register, alone] = slots.get((register, alone), 0) | 1 << slot
    return [Read(register, mask, alone and register % 2 == 1) for (register, alone), mask in slots.items()]


class ReuseCache:
    """What straight code leaves in a reuse cache, instruction by instruction."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], int] = {}  # slot and bank -> register

    def read(self, instruction: Instruction, reads: list[Read]) -> list[Read]:
        """The reads that are left when the cache holds what the code before this instruction put there."""
        left = []
        for read in reads:
            bank = read.register % NUM_BANKS
            slots = [slot for slot in range(SLOTS) if read.slots >> slot & 1]
            missing = sum(1 << slot for slot in slots if self._held.get((slot, bank)) != read.register)
            if missing:
                left.append(read._replace(slots=missing))
            for slot in slots:
                if instruction.control.reuse >> slot & 1:
                    self._held[slot, bank] = read.register
                else:
                    self._held.pop((slot, bank), None)
        return left
