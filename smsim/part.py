"""The part of the GPU that is simulated: its share of the work, and of L2.

SMs that are not simulated are taken to do what the simulated ones do, so of all that the SMs share these have a part.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from smsim.machine import Machine
from smsim.state import L2_WAYS

# So few lines to a set that none is given up, where L2 has room for all.
ROOMY_WAYS = 4


class Part(NamedTuple):
    """What the simulated SMs are of the GPU.

    Attributes:
        work: their blocks' share of the grid's.
        first: of the lines that they touch, the share that they touch before any other SM.
        l2_sets: sets of L2 that are theirs.
    """

    work: float
    first: float
    l2_sets: int


WHOLE = Part(1.0, 1.0, 1)


def part_of(trace: Trace, lines: NDArray[np.int64], private_lines: int, machine: Machine) -> Part:
    """The part that the trace's blocks are of the launch.

    A line that other blocks touch, too, takes room in L2 once. How many lines the grid touches follows from those of
    the traced blocks: as many for every block, but no more than lie between the first and the last.

    Args:
        trace: the simulated SMs' blocks.
        lines: the lines of global memory that they touch, ascending.
        private_lines: lines that no other SM can touch.
        machine: whose L2.
    """
    work = len(trace.blocks) / trace.launch.num_blocks
    extent = int(lines[-1] - lines[0]) + 1 if len(lines) else 0
    of_grid = min(len(lines) / work, max(extent, len(lines)))
    touched = len(lines) + private_lines
    share = touched / (of_grid + private_lines / work) if touched else work
    capacity = machine.l2.bytes / machine.l1.line_bytes * share
    sets = min(capacity / L2_WAYS, touched / ROOMY_WAYS)
    first = of_grid * work / len(lines) if len(lines) else 1.0
    return Part(work, first, max(1, round(sets)))
