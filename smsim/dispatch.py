"""Which blocks the simulated SMs run.

The dispatcher hands out blocks in order, one to each SM in turn, so SM s starts with blocks s, s + num_sms, ... and no
SM gets more than SM 0. Of the SMs that are simulated each gets these; where all are, those that are free first get what
follows the first blocks.
"""

from typing import Literal

from isa.errors import MachineError
from isa.launch import LaunchShape
from isa.program import Program
from isa.trace import Trace
from isa.trace.history import count_instructions
from smsim.machine import Machine

ATOMICS = frozenset(("ATOM", "ATOMG", "RED", "REDG"))
MOST_INSTRUCTIONS = 4_000_000  # of a grid all of whose SMs are simulated: some seconds

SMs = int | Literal["auto"]


def blocks_of_sms(launch: LaunchShape, machine: Machine, sms: int = 1) -> tuple[int, ...]:
    """Linear ids of the blocks that the first SMs run, ascending.

    Raises:
        MachineError: the machine does not have so many SMs.
    """
    if sms not in range(1, machine.num_sms + 1):
        raise MachineError(f"sms is {sms!r}; {machine.name!r} has 1 to {machine.num_sms}")
    return tuple(block for block in range(launch.num_blocks) if block % machine.num_sms < sms)


def traced_blocks(launch: LaunchShape, machine: Machine, sms: int = 1) -> tuple[int, ...]:
    """What to trace for a simulation: the SMs' blocks, and the grid's last one, to see how far the grid reaches."""
    return tuple(sorted({*blocks_of_sms(launch, machine, sms), launch.num_blocks - 1}))


def may_differ(program: Program, launch: LaunchShape, machine: Machine) -> bool:
    """Whether SMs of a grid may do better or worse than SM 0: with a block for each at most, they do not get even work.

    Atomics of many SMs are those of one that stands for all.
    """
    opcodes = {instruction.opcode for instruction in program.instructions}
    return 1 < launch.num_blocks <= machine.num_sms and opcodes.isdisjoint(ATOMICS)


def sms_worth_simulating(trace: Trace, machine: Machine) -> int:
    """All SMs that have a block, if these may differ and that takes some seconds; else one, which stands for all.

    Args:
        trace: of some of the grid's blocks; the others are taken to execute as many instructions.
        machine: on which the grid runs.
    """
    blocks = trace.launch.num_blocks
    instructions = count_instructions(trace).sum() * blocks / trace.blocks.size
    affordable = instructions <= MOST_INSTRUCTIONS
    return blocks if affordable and may_differ(trace.program, trace.launch, machine) else 1
