"""The part of the GPU that is simulated: its share of the work, and of L2.

SMs that are not simulated are taken to do what the simulated ones do, so of all that the SMs share these have a part.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.history import parts_of
from isa.trace.model import Space
from isa.trace.recorded import records_access
from smsim.machine import Machine
from smsim.state.l2 import L2_WAYS
from smsim.touched_lines import TouchedLines, end_lines

# So few lines to a set that none is given up, where L2 has room for all.
ROOMY_WAYS = 1
LANES = 32
APART = 2  # lines between arrays, for each part that the grid has of the simulated size
EVENLY = 0.6180339887498949  # its multiples fall evenly between whole numbers
STORES = frozenset(["STG", "ST", "STL"])
NONE = np.zeros(0, np.int64)


class Part(NamedTuple):
    """What the simulated SMs are of the GPU.

    Attributes:
        work: their blocks' share of the grid's.
        l2_sets: sets of L2 that are theirs.
        shared: lines that other SMs touch, too, as far as the grid's last block shows.
        brought: lines that other SMs touch before them, ascending.
        busy: SMs of the GPU that have a block.
    """

    work: float = 1.0
    l2_sets: int = 1024
    shared: NDArray[np.int64] = NONE
    brought: NDArray[np.int64] = NONE
    busy: int = 1


WHOLE = Part()
# Of each trace the parts that were asked for, by what they follow from: a sweep over machines asks for the same ones.
_known: WeakKeyDictionary[Trace, dict[tuple[int, ...], Part]] = WeakKeyDictionary()


def part_of(trace: Trace, blocks: Sequence[int], machine: Machine) -> Part:
    """The part of a launch that some of its blocks are: found once for machines with the same L2.

    Args:
        trace: these blocks, and others.
        blocks: those that are simulated.
        machine: whose L2.
    """
    caches = machine.l1.line_bytes, machine.l1.sector_bytes, machine.l2.fill_sectors, machine.l2.bytes
    known = _known.setdefault(trace, {})
    key = (*blocks, *caches, machine.num_sms)
    if key not in known:
        known[key] = _part_of(trace, blocks, machine)
    return known[key]


def _part_of(trace: Trace, blocks: Sequence[int], machine: Machine) -> Part:
    """The part, as the trace shows.

    A line that other blocks touch, too, takes room in L2 once. How many lines the grid touches follows from those of
    the blocks: as many for every block, but no more than lie between the first and the last, those of the grid's last
    block included, if it was traced; for lines among which that block's lie no more than lie there.

    Args:
        trace: these blocks, and others.
        blocks: those that are simulated.
        machine: whose L2.
    """
    if len(blocks) == trace.launch.num_blocks:
        return _whole(trace, machine)
    line_bytes = machine.l1.line_bytes
    fill_bytes = machine.l1.sector_bytes * machine.l2.fill_sectors
    simulated = np.isin(trace.blocks, blocks)
    last = trace.blocks == trace.launch.num_blocks - 1
    work = len(blocks) / trace.launch.num_blocks
    choices = (simulated, last, trace.blocks == blocks[0])
    mine, lasts, firsts = _lines_of_each(trace, choices, Space.GLOBAL, line_bytes)
    shared = np.intersect1d(firsts, lasts)
    private = _private_lines(trace, simulated, line_bytes)
    of_grid = sum(number for _, number in _of_grid(mine, lasts, work, trace.allocations[:, 0] // line_bytes))
    touched = len(mine) + private
    share = touched / (of_grid + private / work) if touched else work
    sets = min(_all_sets(machine) * share, touched / ROOMY_WAYS)
    brought = NONE
    fetches, fills = _fetches(trace), line_bytes // fill_bytes
    read, lasts = _lines_of_each(trace, choices[:2], Space.GLOBAL, fill_bytes, fetches)
    for parts, number in _of_grid(read, lasts, work, trace.allocations[:, 0] // fill_bytes, fills):
        lines = np.unique(parts // fills)
        # Of all SMs these are the first to touch so many of them.
        brought = np.union1d(brought, lines[(lines * EVENLY) % 1.0 * len(parts) >= number * work])
    return Part(work, max(1, round(sets)), shared, brought, min(trace.launch.num_blocks, machine.num_sms))


def _whole(trace: Trace, machine: Machine) -> Part:
    """All of a grid: no other SM touches anything."""
    sets, blocks = _all_sets(machine), trace.launch.num_blocks
    if blocks <= machine.num_sms:
        line_bytes, every = machine.l1.line_bytes, np.ones(len(trace.blocks), np.bool_)
        touched = len(lines_of(trace, every, Space.GLOBAL, line_bytes)) + _private_lines(trace, every, line_bytes)
        sets = min(sets, touched / ROOMY_WAYS)
    return Part(l2_sets=max(1, round(sets)), busy=min(blocks, machine.num_sms))


def _all_sets(machine: Machine) -> float:
    """The sets of the GPU's L2."""
    return float(machine.l2.bytes / machine.l1.line_bytes / L2_WAYS)


def _private_lines(trace: Trace, blocks: NDArray[np.bool_], line_bytes: int) -> int:
    """Lines of local memory that the chosen ones of the trace's blocks touch."""
    of_warp = len(lines_of(trace, blocks, Space.LOCAL, line_bytes // LANES))
    return int(blocks.sum()) * trace.launch.warps_per_block * of_warp


def _of_grid(
    mine: NDArray[np.int64], others: NDArray[np.int64], work: float, firsts: NDArray[np.int64], parts: int = 1
) -> Iterator[tuple[NDArray[np.int64], float]]:
    """Lines, or parts of lines, of blocks that do so much of the work, and how many such the whole grid touches.

    First those that lie in arrays in which the ``others``, another block's, lie among them; then the rest. An array is
    one that was allocated, from one of the ``firsts`` on, or a part of it.
    """
    reach = np.union1d(mine, others)
    among, room = np.zeros(len(mine), np.bool_), 0
    gaps = np.flatnonzero(np.diff(reach) > APART * parts / work) + 1
    for array in np.split(reach, np.union1d(gaps, np.searchsorted(reach, firsts))):
        ends = (array[0], array[-1] + 1) if len(array) else (0, 0)
        own, theirs = (slice(*np.searchsorted(lines, ends)) for lines in (mine, others))
        a, b = mine[own], others[theirs]
        if len(a) and len(b) and a[0] <= b[-1] and b[0] <= a[-1]:
            among[own] = True
            room += int(array[-1] - array[0]) + 1
    extent = int(reach[-1] - reach[0]) + 1 if len(reach) else 0
    for lines, most in ((mine[among], room), (mine[~among], extent - room)):
        yield lines, min(len(lines) / work, max(most, len(lines)))


def _fetches(trace: Trace) -> NDArray[np.bool_]:
    """Whether each access reads: all but stores do."""
    instructions = trace.program.instructions
    reads = np.array([instruction.opcode not in STORES for instruction in instructions])
    recorded = np.array([records_access(instruction) for instruction in instructions])
    of_run = [
        reads[start : start + length][recorded[start : start + length]] if mask else reads[:0]
        for start, length, mask in trace.runs
    ]
    of_pattern = [
        np.concatenate([reads[:0], *of_run[first:end]])
        for first, end in zip(trace.pattern_offsets, trace.pattern_offsets[1:], strict=False)
    ]
    of_stream = [
        np.concatenate([reads[:0], *(np.tile(of_pattern[step["pattern"]], step["repeats"]) for step in steps)])
        for steps in np.split(trace.steps, trace.stream_offsets[1:-1])
    ]
    fetches = np.zeros(len(trace.accesses), np.bool_)
    for warp in trace.warps:
        first = warp["first_access"]
        fetches[first : first + warp["num_accesses"]] = of_stream[warp["stream"]]
    return fetches


def _lines_of_each(
    trace: Trace,
    choices: Sequence[NDArray[np.bool_]],
    space: Space,
    line_bytes: int,
    wanted: NDArray[np.bool_] | None = None,
) -> list[NDArray[np.int64]]:
    """``lines_of`` several choices of blocks, found once for those that are the same."""
    different = {chosen.tobytes(): chosen for chosen in choices}
    found = {key: lines_of(trace, chosen, space, line_bytes, wanted) for key, chosen in different.items()}
    return [found[chosen.tobytes()] for chosen in choices]


def lines_of(
    trace: Trace, blocks: NDArray[np.bool_], space: Space, line_bytes: int, wanted: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """The lines of so many bytes that the chosen ones of the trace's blocks touch in a space, once each, ascending.

    With ``wanted``, by those accesses alone.
    """
    in_space = trace.shapes["space"] == space
    if not in_space.any():
        return np.zeros(0, np.int64)
    warps = trace.warps[blocks[trace.warps["block"]]]
    touched = TouchedLines()
    for some in parts_of(warps):
        accesses = _accesses_of(trace, some, wanted)
        if not in_space.all():
            accesses = accesses[in_space[accesses["shape"]]]
        lines, aligns = np.divmod(accesses["base"].astype(np.int64), line_bytes)
        keys = accesses["shape"].astype(np.int64) * line_bytes + aligns
        is_used = np.zeros(len(trace.shapes) * line_bytes, np.bool_)
        is_used[keys] = True
        used = np.flatnonzero(is_used)
        starts, deltas = end_lines(trace.shapes[used // line_bytes], used % line_bytes, line_bytes)
        classes = np.cumsum(is_used, dtype=np.int32)[keys] - 1
        touched.add(lines, classes, starts, deltas, np.ones(len(deltas), np.int64))
    return touched.lines


def _accesses_of(trace: Trace, warps: np.ndarray, wanted: NDArray[np.bool_] | None) -> np.ndarray:
    """The accesses of some of the trace's warps, or those of them that are wanted."""
    ends = warps["first_access"] + warps["num_accesses"]
    if len(warps) and (ends[:-1] == warps["first_access"][1:]).all():
        own = slice(int(warps["first_access"][0]), int(ends[-1]))
        accesses: np.ndarray = trace.accesses[own] if wanted is None else trace.accesses[own][wanted[own]]
        return accesses
    # Of each access of these warps its warp, and from that its number: the warp's first one and those before.
    of = np.repeat(np.arange(len(warps)), warps["num_accesses"])
    before = np.cumsum(warps["num_accesses"]) - warps["num_accesses"]
    numbers = (warps["first_access"] - before)[of] + np.arange(len(of))
    accesses = trace.accesses[numbers if wanted is None else numbers[wanted[numbers]]]
    return accesses
