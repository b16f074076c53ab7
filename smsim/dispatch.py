"""Which blocks the simulated SMs run.

The dispatcher hands out blocks in order, one to each SM in turn, so SM s starts with blocks s, s + num_sms, ... and no
SM gets more than SM 0. Of the SMs that are simulated each gets these; where all are, those that are free first get what
follows the first blocks.
"""

from isa.launch import LaunchShape
from smsim.machine import Machine


def blocks_of_sms(launch: LaunchShape, machine: Machine, sms: int = 1) -> tuple[int, ...]:
    """Linear ids of the blocks that the first SMs run, ascending."""
    return tuple(block for block in range(launch.num_blocks) if block % machine.num_sms < sms)


def traced_blocks(launch: LaunchShape, machine: Machine, sms: int = 1) -> tuple[int, ...]:
    """What to trace for a simulation: the SMs' blocks, and the grid's last one, to see how far the grid reaches."""
    return tuple(sorted({*blocks_of_sms(launch, machine, sms), launch.num_blocks - 1}))
