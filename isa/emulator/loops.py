"""Loops of a program, and which registers each instruction of them moves.

An iteration keeps the predicates and moves some registers, each by an amount of its own. The next iteration does just
the same if everything that a moved register reaches is affine in such registers: sums, moves, products with one factor
that is not moved (see ``isa.emulator.left_out``, which also looks after the comparisons that they reach).
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from isa.instruction import Instruction
from isa.operand import Constant, Immediate, Label, Operand, Register, RegisterFile
from isa.program import Program
from isa.semantics import registry
from isa.semantics.operands import Read32, read_integer
from isa.semantics.registry import Constants
from isa.trace.recorded import records_access

NUMBERS = (RegisterFile.GENERAL, RegisterFile.UNIFORM)
FLAGS = (RegisterFile.PREDICATE, RegisterFile.UNIFORM_PREDICATE)

_AFFINE = ("IADD3", "UIADD3", "VIADD", "MOV", "UMOV", "LEA", "ULEA", "SEL", "USEL", "R2UR", "IMAD", "UIMAD")
_STILL_AFFINE = {"MOV", "SHL", "IADD", "U32"}  # modifiers that change nothing about it
_PRODUCTS = ("IMAD", "UIMAD")
_COMPARING = ("ISETP", "UISETP")
_FLOW = ("BRA", "BSSY", "BSYNC", "EXIT")
_CHANGEABLE = ("S2R", "CS2R", "S2UR", "B2R", "BMOV")  # what they read is no register


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of integers in a loop.

    Attributes:
        index: the instruction's.
        sides: readers of what is compared.
        late: of each side, whether the loop writes it before it is compared.
        signed: whether as signed integers.
    """

    index: int
    sides: tuple[Read32, Read32]
    late: tuple[bool, bool]
    signed: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop without inner loops and accesses.

    Attributes:
        first, last: indices of its first instruction and of the branch back to it.
        instructions: those of it that are executed.
        numbers: the general and uniform registers that these write.
        flags: the predicates.
        comparisons: those of them whose sides are registers written once at most, or fixed.
    """

    first: int
    last: int
    instructions: tuple[Instruction, ...]
    numbers: tuple[Register, ...]
    flags: tuple[Register, ...]
    comparisons: tuple[Comparison, ...]

    def moves_on(self, moved: Container[Register]) -> bool:
        """Whether an iteration that moved just these ``numbers`` is followed by one that moves them as much.

        If all comparisons come out as before.
        """
        reached = {register for register in self.numbers if register in moved}
        known = -1
        while len(reached) != known:
            known = len(reached)
            for instruction in self.instructions:
                if not reached.isdisjoint(instruction.reads):
                    reached.update(register for register in instruction.writes if register.file in NUMBERS)
        compared = {comparison.index for comparison in self.comparisons}
        return all(
            instruction.index in compared or reached.isdisjoint(instruction.reads) or _is_affine(instruction, reached)
            for instruction in self.instructions
        )


def find_loop(program: Program, constants: Constants, executed: Container[int], first: int, last: int) -> Loop | None:
    """The loop from ``first`` to the branch back at ``last``, of which some instructions are ``executed``."""
    instructions = [each for each in program.instructions[first : last + 1] if each.index in executed]
    if not all(_is_simple(instruction) for instruction in instructions) or any(map(_leads_back, instructions[:-1])):
        return None
    writers: dict[Register, list[int]] = {}
    for instruction in instructions:
        for register in instruction.writes:
            writers.setdefault(register, []).append(instruction.index)
    comparisons = [_comparison(instruction, constants, writers) for instruction in instructions]
    return Loop(
        first=first,
        last=last,
        instructions=tuple(instructions),
        numbers=tuple(register for register in writers if register.file in NUMBERS),
        flags=tuple(register for register in writers if register.file in FLAGS),
        comparisons=tuple(comparison for comparison in comparisons if comparison),
    )


def _is_simple(instruction: Instruction) -> bool:
    """Whether the instruction does the same whenever it finds the same in registers, and nothing else."""
    if registry.is_control(instruction) and instruction.opcode not in _FLOW:
        return False
    return instruction.opcode not in _CHANGEABLE and not records_access(instruction)


def _leads_back(instruction: Instruction) -> bool:
    target = instruction.operands[-1] if instruction.opcode == "BRA" else None
    return isinstance(target, Label) and target.address <= instruction.address


def _comparison(
    instruction: Instruction, constants: Constants, writers: Mapping[Register, list[int]]
) -> Comparison | None:
    """The instruction as a comparison, if it is one whose sides can be followed."""
    if instruction.opcode not in _COMPARING or "EX" in instruction.modifiers:
        return None
    first, second = instruction.operands[2:4]
    late = []
    for side in (first, second):
        written = writers.get(Register(side.file, side.index), []) if isinstance(side, Register) else []
        if not _is_plain(side) or len(written) > 1:
            return None
        late.append(any(index < instruction.index for index in written))
    sides = read_integer(instruction, first, constants), read_integer(instruction, second, constants)
    return Comparison(instruction.index, sides, (late[0], late[1]), "U32" not in instruction.modifiers)


def _is_plain(side: Operand) -> bool:
    """Whether an operand is an immediate, a register or a constant at a fixed place, as it is or negated."""
    if isinstance(side, Immediate):
        return True
    if isinstance(side, Constant) and (side.register is not None or isinstance(side.bank, Register)):
        return False
    return isinstance(side, Register | Constant) and not side.selector and not side.absolute


def _is_affine(instruction: Instruction, moved: Container[Register]) -> bool:
    """Whether the results are affine in the ``moved`` registers, which the instruction reads."""
    if instruction.opcode not in _AFFINE or not _STILL_AFFINE.issuperset(instruction.modifiers):
        return False
    if any(register.file not in NUMBERS for register in instruction.writes):
        return False  # a carry
    factors = instruction.operands[1:3] if instruction.opcode in _PRODUCTS else ()
    return sum(isinstance(each, Register) and Register(each.file, each.index) in moved for each in factors) < 2
