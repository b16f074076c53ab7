"""Basic blocks of a program, and where control can go from each."""

from dataclasses import dataclass

from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Label, Register
from isa.program import Program

# Jump tables and tables of function addresses: the compiler's own constant bank.
_TABLE_BANK = 2
_WORD = 4
# Opcodes after which the next instruction is not executed, when they are not guarded.
_LEAVES = ("BRA", "BRX", "BRXU", "JMP", "JMX", "RET", "EXIT", "KILL")


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions ``start`` to ``stop`` - 1; ``successors`` are the indices of the blocks that can follow.

    Indirect branches go to every block that a table can name, and a return goes behind every call, so that no path is
    missing; some of those that are listed cannot happen.
    """

    start: int
    stop: int
    successors: tuple[int, ...]


def basic_blocks(program: Program) -> tuple[Block, ...]:
    """The program's basic blocks in address order."""
    instructions = program.instructions
    tables = _table_targets(program)
    leaders = {0} | tables
    for instruction in instructions:
        target = branch_target(instruction)
        if target is not None:
            leaders.add(target)
        if instruction.opcode in _LEAVES or target is not None or instruction.opcode == "CALL":
            leaders.add(instruction.index + 1)
    starts = sorted(index for index in leaders if index < len(instructions))
    number = {start: block for block, start in enumerate(starts)}
    stops = [*starts[1:], len(instructions)]
    returns = [ins.index + 1 for ins in instructions if ins.opcode == "CALL" and ins.index + 1 in number]
    blocks = []
    for start, stop in zip(starts, stops, strict=True):
        following = _successors(instructions[stop - 1], tables, returns)
        blocks.append(Block(start, stop, tuple(sorted({number[index] for index in following if index in number}))))
    return tuple(blocks)


def branch_target(instruction: Instruction) -> int | None:
    """The index of the instruction that a direct branch names."""
    last = instruction.operands[-1] if instruction.operands else None
    if not isinstance(last, Label) or _is_indirect(instruction):
        return None
    return last.address // INSTRUCTION_BYTES


def _is_indirect(instruction: Instruction) -> bool:
    """The target is a register plus an address: BRX, RET, JMX, and CALL through a pointer."""
    first = instruction.operands[0] if instruction.operands else None
    return instruction.opcode in ("BRX", "BRXU", "RET", "JMX", "CALL", "JMP") and isinstance(first, Register)


def _table_targets(program: Program) -> set[int]:
    """Every instruction whose address stands in the compiler's constant bank, be it by chance."""
    bank = program.constant_banks.get(_TABLE_BANK, b"")
    words = (int.from_bytes(bank[i : i + _WORD], "little") for i in range(0, len(bank) - _WORD + 1, _WORD))
    size = len(program.instructions) * INSTRUCTION_BYTES
    return {word // INSTRUCTION_BYTES for word in words if word % INSTRUCTION_BYTES == 0 and word < size}


def _successors(last: Instruction, tables: set[int], returns: list[int]) -> set[int]:
    following: set[int] = set()
    if last.opcode not in _LEAVES or last.guard is not None:
        following.add(last.index + 1)
    target = branch_target(last)
    if target is not None:
        following.add(target)
    elif last.opcode == "RET":
        following.update(returns)
    elif _is_indirect(last):
        following.update(tables)
    return following
