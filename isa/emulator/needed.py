"""Which instructions must execute for a trace; the others matter only to those who read what a kernel computes.

A trace says where control went, which guards were false and what accesses touched. So it needs all control flow,
guards and accesses, and whatever writes a register that these, or other needed instructions, read afterwards:
liveness, backwards over the control-flow graph, where a guarded write ends no life. Lanes may see what others wrote
elsewhere in the code: uniform registers, and those that SHFL passes on, once they are read live everywhere. Memory is
one more such register. Where threads may wait for each other it lives everywhere once a loaded value is needed; where
they cannot, a load finds what its own thread stored, or a race leaves the trace open. Accesses that store what nobody
needs still execute, for their addresses.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from isa.control_flow import Block, basic_blocks
from isa.instruction import Instruction
from isa.operand import Address, Register, RegisterFile
from isa.program import Program
from isa.semantics import registry
from isa.trace.recorded import ATOMICS, records_access

# A set of registers is an integer; the bit of a file's first register:
_FIRST = {
    RegisterFile.GENERAL: 0,
    RegisterFile.UNIFORM: 256,
    RegisterFile.PREDICATE: 320,
    RegisterFile.UNIFORM_PREDICATE: 328,
    RegisterFile.CONVERGENCE: 336,
}
_MEMORY = 1 << 352
_UNIFORM = (1 << 64) - 1 << 256 | 0xFF << 328
_CONVERGENCE = 0xFFFF << 336

# Through these, through shared memory, and through .STRONG accesses threads wait for each other.
_MEETING = ("BAR", "WARPSYNC", "MEMBAR", "FENCE", "YIELD", "NANOSLEEP", "STS", "LDGSTS")

_LEADS_ANYWHERE = ("CALL", "JMP", "JMX", "JMXU")  # through a register
_LEADS_BY_TABLE = ("BRX", "BRXU", "RET")  # the same, to where tables or calls say, if there are any


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
    lost = (block for block in blocks if not block.successors)
    if any(program.instructions[block.stop - 1].opcode in _LEADS_BY_TABLE for block in lost):
        return everything
    steps = [_step(instruction) for instruction in program.instructions]
    meeting = any(map(_is_meeting, program.instructions))
    everywhere = 0
    while True:
        needed, seen = _find(steps, blocks, everywhere)
        if not meeting:
            seen &= ~_MEMORY
        if seen | everywhere == everywhere:
            return needed
        everywhere |= seen


def _is_meeting(instruction: Instruction) -> bool:
    return instruction.opcode in _MEETING or instruction.opcode in ATOMICS or "STRONG" in instruction.modifiers


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


def _find(steps: list[_Step], blocks: tuple[Block, ...], everywhere: int) -> tuple[frozenset[int], int]:
    """The needed instructions, and what they read that others may have written elsewhere in the code.

    Args:
        steps, blocks: the program.
        everywhere: registers that live everywhere.
    """
    needed: set[int] = set()
    seen = 0
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
                if not step.kept and not step.writes & live:
                    live |= step.guard
                    continue
                needed.add(index)
                read = step.reads
                if step.touches_memory and step.writes & live:
                    read |= _MEMORY
                elif step.touches_memory and not live & _MEMORY:
                    read = step.where
                seen |= step.shared | read & _MEMORY
                live = read | (live if step.guard else live & ~step.writes | everywhere)
            if live != entries[number]:
                entries[number] = live
                changed = True
    return frozenset(needed), seen
