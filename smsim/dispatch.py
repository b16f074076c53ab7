"""Which blocks an SM runs.

The dispatcher hands out blocks in order, one to each SM in turn, so SM s starts with blocks s, s + num_sms, ... SM 0
gets as many as any other.
"""

from isa.launch import LaunchShape
from isa.program import Program
from smsim.machine import Machine


def blocks_of_sm(launch: LaunchShape, program: Program, machine: Machine) -> tuple[int, ...]:
    """Linear ids of the blocks that SM 0 runs, ascending."""
    return tuple(range(0, launch.num_blocks, machine.num_sms))


def traced_blocks(launch: LaunchShape, program: Program, machine: Machine) -> tuple[int, ...]:
    """What to trace for a simulation: the SM's blocks, and the grid's last one, to see how far the grid reaches."""
    return tuple(sorted({*blocks_of_sm(launch, program, machine), launch.num_blocks - 1}))
