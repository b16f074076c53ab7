"""Which instructions must execute for a trace; the others matter only to those who read what a kernel computes.

A trace says where control went, which guards were false and what accesses touched. So it needs all control flow,
guards and accesses, and whatever writes a register that these, or other needed instructions, read afterwards:
liveness, backwards over the control-flow graph, where a guarded write ends no life. Lanes may see what others wrote
elsewhere in the code: uniform registers, and those that SHFL passes on, once they are read live everywhere. Of what
memory holds, all is needed, by every store and atomic, when one loaded value is; otherwise their addresses alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from isa.control_flow import Block, basic_blocks
from isa.instruction import Instruction
from isa.operand import Address, Register, RegisterFile
from isa.program import Program
from isa.semantics import registry
from isa.trace.recorded import records_access

# A set of registers is an integer; the bit of a file's first register:
_FIRST = {
    RegisterFile.GENERAL: 0,
    RegisterFile.UNIFORM: 256,
    RegisterFile.PREDICATE: 320,
    RegisterFile.UNIFORM_PREDICATE: 328,
    RegisterFile.CONVERGENCE: 336,
}
_UNIFORM = (1 << 64) - 1 << 256 | 0xFF << 328
_CONVERGENCE = 0xFFFF << 336

_LEADS_ANYWHERE = ("CALL", "JMP", "JMX", "JMXU")  # through a register


@dataclass(slots=True)
class _Step:
    """An instruction as sets of registers.

    Attributes:
        guard, reads, writes: its registers; ``where`` are those of its addresses and its guard.
        kept: it is needed whatever reads its results.
        shared: registers of other lanes, or of the whole warp, that it reads.
        touches_memory: it is an access to memory that stores change.
    """

    guard: int
    reads: int
    writes: int
    where: int
    kept: bool
    shared: int
    touches_memory: bool


def needed_for_trace(program: Program) -> frozenset[int]:
    """The indices of the instructions that must execute; all where control may go anywhere through a register."""
    registry.load()
    everything = frozenset(range(len(program.instructions)))
    if any(map(_leads_anywhere, program.instructions)):
        return everything
    blocks = basic_blocks(program)
    if any(not block.successors and program.instructions[block.stop - 1].opcode == "BRX" for block in blocks):
        return everything
    steps = [_step(instruction) for instruction in program.instructions]
    everywhere, memory = 0, False
    while True:
        needed, loads = _find(steps, blocks, everywhere, memory)
        seen = 0
        for index in needed:
            seen |= steps[index].shared
        if seen | everywhere == everywhere and loads == memory:
            return needed
        everywhere, memory = seen | everywhere, loads or memory


def _leads_anywhere(instruction: Instruction) -> bool:
    indirect = instruction.opcode in _LEADS_ANYWHERE and any(
        isinstance(each, Register) for each in instruction.operands
    )
    return indirect or (instruction.opcode == "WARPSYNC" and "COLLECTIVE" in instruction.modifiers)


def _step(instruction: Instruction) -> _Step:
    reads, writes = _bits(instruction.reads), _bits(instruction.writes)
    guard = 0 if instruction.guard is None else reads & _bits([instruction.guard])
    addresses = [each for each in instruction.operands if isinstance(each, Address)]
    where = guard
    for address in addresses:
        for register in (address.register, address.uniform, address.descriptor):
            if register is not None:
                where |= reads & _bits([register]) * 3  # a pair, perhaps
    kept = registry.is_control(instruction) or records_access(instruction) or bool((reads | writes) & _CONVERGENCE)
    shared = reads if instruction.opcode == "SHFL" else reads & _UNIFORM
    return _Step(guard, reads, writes, where, kept, shared, kept and bool(addresses))


def _bits(registers: Iterable[Register]) -> int:
    bits = 0
    for register in registers:
        bits |= 1 << _FIRST[register.file] + register.index
    return bits


def _find(steps: list[_Step], blocks: tuple[Block, ...], everywhere: int, memory: bool) -> tuple[frozenset[int], bool]:
    """The needed instructions, and whether a loaded value is.

    Args:
        steps, blocks: the program.
        everywhere: registers that live everywhere.
        memory: whether it matters what memory holds.
    """
    needed: set[int] = set()
    loads = False
    entries = [everywhere] * len(blocks)
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(blocks))):
            block, live = blocks[number], everywhere
            for successor in block.successors:
                live |= entries[successor]
            for index in reversed(range(block.start, block.stop)):
                step = steps[index]
                if step.kept or step.writes & live:
                    needed.add(index)
                    loads |= step.touches_memory and step.writes & live != 0
                    if not step.guard:
                        live &= ~step.writes
                    live |= everywhere | (step.where if step.touches_memory and not memory else step.reads)
                else:
                    live |= step.guard
            if live != entries[number]:
                entries[number] = live
                changed = True
    return frozenset(needed), loads
