"""The part of the GPU that is simulated: its share of the work, and of L2.

SMs that are not simulated are taken to do what the simulated ones do, so of all that the SMs share these have a part.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.model import Space
from smsim.machine import Machine
from smsim.state import L2_WAYS

# So few lines to a set that none is given up, where L2 has room for all.
ROOMY_WAYS = 4
LANES = 32


class Part(NamedTuple):
    """What the simulated SMs are of the GPU.

    Attributes:
        work: their blocks' share of the grid's.
        first: of the lines that they touch, the share that they touch before any other SM.
        l2_sets: sets of L2 that are theirs.
        shared: lines that other SMs touch, too, as far as the grid's last block shows.
    """

    work: float = 1.0
    first: float = 1.0
    l2_sets: int = 1024
    shared: NDArray[np.int64] = np.zeros(0, np.int64)


WHOLE = Part()


def part_of(trace: Trace, blocks: Sequence[int], machine: Machine) -> Part:
    """The part of a launch that some of its blocks are.

    A line that other blocks touch, too, takes room in L2 once. How many lines the grid touches follows from those of
    the blocks: as many for every block, but no more than lie between the first and the last, those of the grid's last
    block included, if it was traced.

    Args:
        trace: these blocks, and others.
        blocks: those that are simulated.
        machine: whose L2.
    """
    line_bytes = machine.l1.line_bytes
    if len(blocks) == trace.launch.num_blocks > machine.num_sms:
        return Part(l2_sets=round(machine.l2.bytes / line_bytes / L2_WAYS))
    simulated = np.isin(trace.blocks, blocks)
    last = trace.blocks == trace.launch.num_blocks - 1
    work = len(blocks) / trace.launch.num_blocks
    mine = lines_of(trace, simulated, Space.GLOBAL, line_bytes)
    private = (
        int(simulated.sum())
        * trace.launch.warps_per_block
        * len(lines_of(trace, simulated, Space.LOCAL, line_bytes // LANES))
    )
    lasts = lines_of(trace, last, Space.GLOBAL, line_bytes)
    firsts = lines_of(trace, trace.blocks == blocks[0], Space.GLOBAL, line_bytes)
    shared = np.intersect1d(firsts, lasts) if work < 1 else lasts[:0]
    reach = np.concatenate((mine, lasts))
    extent = int(reach.max() - reach.min()) + 1 if len(reach) else 0
    of_grid = min(len(mine) / work, extent)
    touched = len(mine) + private
    share = touched / (of_grid + private / work) if touched else work
    sets = min(machine.l2.bytes / line_bytes * share / L2_WAYS, touched / ROOMY_WAYS)
    first = of_grid * work / len(mine) if len(mine) else 1.0
    return Part(work, first, max(1, round(sets)), shared)


def lines_of(trace: Trace, blocks: NDArray[np.bool_], space: Space, line_bytes: int) -> NDArray[np.int64]:
    """The lines of so many bytes that the chosen ones of the trace's blocks touch in a space, once each, ascending."""
    in_space = trace.shapes["space"] == space
    if not in_space.any():
        return np.zeros(0, np.int64)
    warps = trace.warps[blocks[trace.warps["block"]]]
    # Of each access of these warps its warp, and from that its number: the warp's first one and those that come before.
    own = np.repeat(np.arange(len(warps)), warps["num_accesses"])
    before = np.cumsum(warps["num_accesses"]) - warps["num_accesses"]
    accesses = trace.accesses[(warps["first_access"] - before)[own] + np.arange(len(own))]
    accesses = accesses[in_space[accesses["shape"]]]
    touched = [np.zeros(0, np.int64)]
    for number in np.unique(accesses["shape"]):
        shape = trace.shapes[number]
        bases = np.unique(accesses["base"][accesses["shape"] == number]).astype(np.int64)
        active = (int(shape["mask"]) >> np.arange(LANES)) & 1 == 1
        ends = np.unique(shape["offsets"][active][:, None] + [0, int(shape["width"]) - 1])
        touched.append(np.unique((bases[:, None] + ends) // line_bytes))
    return np.unique(np.concatenate(touched))
