"""What the SASS of a catalogue kernel looks like: loops, opcode counts, dependences."""

from collections import Counter
from collections.abc import Sequence

from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Label, Register, RegisterFile
from isa.program import Program
from tests.catalogue_programs import program_of


def loops(program: Program) -> list[tuple[Instruction, ...]]:
    """The stretches that a backward branch repeats, the endless loop behind the last EXIT left out."""
    found = []
    for branch in program.instructions:
        targets = [operand.address for operand in branch.operands if isinstance(operand, Label)]
        if branch.opcode == "BRA" and targets and targets[0] < branch.address:
            found.append(program.instructions[targets[0] // INSTRUCTION_BYTES : branch.index + 1])
    return found


def longest_loop(name: str) -> tuple[Instruction, ...]:
    return max(loops(program_of(name)), key=len)


def counts(instructions: Sequence[Instruction]) -> Counter[str]:
    """How many of each base opcode."""
    return Counter(instruction.opcode for instruction in instructions)


def chain_length(instructions: Sequence[Instruction], opcodes: frozenset[str]) -> int:
    """The most instructions of these opcodes that wait for one another, in straight-line code."""
    length: dict[Register, int] = {}
    longest = 0
    for instruction in instructions:
        here = 0
        if instruction.opcode in opcodes:
            here = 1 + max((length.get(register, 0) for register in instruction.reads), default=0)
            longest = max(longest, here)
        length.update(dict.fromkeys(instruction.writes, here))
    return longest


def general_sources(instruction: Instruction) -> list[int]:
    """The numbers of the general registers among the source operands, in order."""
    sources = instruction.operands[instruction.destinations :]
    return [s.index for s in sources if isinstance(s, Register) and s.file is RegisterFile.GENERAL]
