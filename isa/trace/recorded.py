"""Which instructions leave an access in a trace."""

from isa.instruction import Instruction
from isa.operand import Constant, Register

ATOMICS = frozenset(["ATOM", "ATOMG", "ATOMS", "RED", "REDG"])
_ALWAYS = ATOMICS.union(["LDG", "STG", "LD", "ST", "LDS", "STS", "LDL", "STL", "LDGSTS", "BAR"])
CONSTANT_LOADS = frozenset(["LDC", "ULDC"])


def records_access(instruction: Instruction) -> bool:
    """Whether every execution of the instruction with a lane active records exactly one access."""
    if instruction.opcode in CONSTANT_LOADS:
        return any(
            isinstance(operand, Constant) and (operand.register is not None or isinstance(operand.bank, Register))
            for operand in instruction.operands
        )
    matches = instruction.opcode == "MATCH" and "ANY" in instruction.modifiers
    return instruction.opcode in _ALWAYS or matches or names_lanes(instruction)


def names_lanes(instruction: Instruction) -> bool:
    """Whether it is a WARPSYNC of the lanes that a register names."""
    return instruction.opcode == "WARPSYNC" and not {"ALL", "COLLECTIVE"}.intersection(instruction.modifiers)
