"""Which banks of the register file an instruction reads, and what the reuse cache spares it.

Rule seen on the H100 (microbenchmarks ``banks``): even and odd registers are two banks with a port each; a register
that stands in two slots is read once; an operand marked ``.reuse`` need not be read again by the next instruction that
has the same register in the same slot. Uniform registers, constants and immediates take no port.
"""

from isa.instruction import Instruction
from isa.operand import RZ, Register, RegisterFile

SLOTS = 3


def source_registers(instruction: Instruction) -> list[frozenset[int]]:
    """The general registers that each of the operand slots A, B and C reads."""
    slots: list[frozenset[int]] = []
    general = {register.index for register in instruction.reads if register.file is RegisterFile.GENERAL}
    for operand in instruction.operands[instruction.destinations :]:
        if isinstance(operand, Register) and operand.file in (RegisterFile.PREDICATE, RegisterFile.UNIFORM_PREDICATE):
            continue
        registers: set[int] = set()
        if isinstance(operand, Register) and operand.file is RegisterFile.GENERAL and operand.index != RZ:
            registers.add(operand.index)
            if operand.index % 2 == 0 and operand.index + 1 in general and _is_pair(instruction):
                registers.add(operand.index + 1)
        slots.append(frozenset(registers))
    return (slots + [frozenset()] * SLOTS)[:SLOTS]


def _is_pair(instruction: Instruction) -> bool:
    return instruction.latency_class == "redirected_fp64"


def _banks(registers: frozenset[int]) -> int:
    mask = 0
    for register in registers:
        mask |= 1 << register % 2
    return mask


def operand_reads(instruction: Instruction) -> list[int]:
    """By slot A, B, C: bit 0 for a read in the even bank, bit 1 for one in the odd bank; no register twice."""
    seen: set[int] = set()
    masks = []
    for registers in source_registers(instruction):
        masks.append(_banks(registers - seen))
        seen |= registers
    return masks


class ReuseCache:
    """What straight code leaves in the reuse cache, instruction by instruction."""

    def __init__(self) -> None:
        self._held: list[frozenset[int]] = [frozenset()] * SLOTS

    def read(self, instruction: Instruction, reads: list[int]) -> list[int]:
        """The reads that are left when the cache holds what the code before this instruction put there."""
        sources = source_registers(instruction)
        left = [
            0 if registers and registers == held else mask
            for registers, held, mask in zip(sources, self._held, reads, strict=True)
        ]
        if instruction.control.reuse:
            self._held = [
                registers if instruction.control.reuse >> slot & 1 else frozenset()
                for slot, registers in enumerate(sources)
            ]
        return left
