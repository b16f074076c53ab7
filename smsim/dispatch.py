"""Which blocks the simulated SMs run.

The dispatcher hands out blocks in order, one to each SM in turn, so SM s starts with blocks s, s + num_sms, ... and no
SM gets more than SM 0. Of the SMs that are simulated each gets these; where all are, those that are free first get what
follows the first blocks. All are where that takes some seconds. Otherwise SM 0 stands for all, but of a grid whose last
block executes otherwise than its first the one in the middle: where threads stride over an array, and it does not come
out even, the first blocks of each turn have one more. Of a grid whose blocks execute differently all are traced, if
they are not too many; where some SM then has clearly more to do than the one that would stand for all, all SMs are
simulated.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isa.errors import MachineError
from isa.launch import LaunchShape
from isa.program import Program
from isa.trace import Trace
from isa.trace.history import count_instructions
from isa.trace.model import Space
from smsim.machine import Machine
from smsim.occupancy import carve_out, occupancy
from smsim.part import lines_of

ANSWERED = frozenset(("ATOM", "ATOMG"))  # atomics whose results a block sees, and so what others did before
MOST_INSTRUCTIONS = 10_000_000  # of a grid all of whose SMs are simulated: some seconds
# Of a grid of unlike blocks that is traced as a whole, and simulated so where SMs differ: some seconds, too.
MOST_UNLIKE_INSTRUCTIONS = 32_000_000
UNEVEN = 1.1  # times the instructions of the SM that would stand for all: the busiest SM is another one
SOME_SMS = 4  # simulated where warps wait for more lines than L1 has: they do not take much longer than one
# Simulated where loads find what was loaded before: how much of it L1 still has hangs on where an SM's lines lie.
UNLIKE_SMS = 8
FEW_INSTRUCTIONS = 500_000  # of all these
AGAIN = 2  # times that a block touches its lines in the mean
LANES = 32

SMs = int | Literal["auto"]


def blocks_of_sms(launch: LaunchShape, machine: Machine, sms: int = 1, first: int = 0) -> tuple[int, ...]:
    """Linear ids of the blocks that so many SMs from the ``first`` on run, ascending.

    Raises:
        MachineError: the machine does not have so many SMs.
    """
    if sms not in range(1, machine.num_sms + 1):
        raise MachineError(f"sms is {sms!r}; {machine.name!r} has 1 to {machine.num_sms}")
    return tuple(block for block in range(launch.num_blocks) if 0 <= block % machine.num_sms - first < sms)


def traced_blocks(launch: LaunchShape, machine: Machine, sms: int = 1, first: int = 0) -> tuple[int, ...]:
    """What to trace for a simulation: the SMs' blocks, and the grid's last one, to see how far the grid reaches.

    Its first one, too, which the last one is compared with.
    """
    return tuple(sorted({0, *blocks_of_sms(launch, machine, sms, first), launch.num_blocks - 1}))


def first_sm(trace: Trace, machine: Machine, sms: int) -> int:
    """From which SM on so many stand for all: 0, or of an uneven grid those in the middle of the ones with most blocks.

    A trace without the grid's first or last block does not say.
    """
    launch = trace.launch
    of_warps, counts = trace.blocks[trace.warps["block"]], count_instructions(trace)
    first, last = (counts[of_warps == block] for block in (0, launch.num_blocks - 1))
    if not len(first) or not len(last) or first.sum() == last.sum():
        return 0
    busiest = min(launch.num_blocks, launch.num_blocks % machine.num_sms or machine.num_sms)
    return max(0, busiest - sms) // 2


def worth_tracing_all(trace: Trace) -> bool:
    """Whether blocks of the grid execute differently, and all together not too much, as far as some of them show.

    Where they see what others did before them, as of the last one to come, some of them do not show it.
    """
    unlike = _sees_others(trace.program) or _are_unlike(_of_blocks(trace))
    return unlike and _of_blocks(trace).mean() * trace.launch.num_blocks <= MOST_UNLIKE_INSTRUCTIONS


def _is_uneven(trace: Trace, machine: Machine) -> bool:
    """Whether another SM than the one that would stand for all comes last; a trace of some blocks says no.

    It has clearly more to execute, blocks being given to the SMs in turn, or a block that sees what the others did.
    """
    launch = trace.launch
    if trace.blocks.size < launch.num_blocks or launch.num_blocks == 1:
        return False
    of_blocks = _of_blocks(trace)
    of_sms = np.bincount(trace.blocks % machine.num_sms, of_blocks)
    is_busier = of_sms.max() > UNEVEN * of_sms[first_sm(trace, machine, 1)]
    comes_last = _sees_others(trace.program) and _are_unlike(of_blocks)
    return bool((is_busier or comes_last) and of_blocks.sum() <= MOST_UNLIKE_INSTRUCTIONS)


def _of_blocks(trace: Trace) -> NDArray[np.float64]:
    """Instructions of each of the trace's blocks."""
    return np.asarray(np.bincount(trace.warps["block"], count_instructions(trace)), np.float64)


def _are_unlike(of_blocks: NDArray[np.float64]) -> bool:
    """Whether blocks with so many instructions execute differently."""
    return bool((of_blocks != of_blocks[0]).any())


def _sees_others(program: Program) -> bool:
    """Whether blocks see what others did before them."""
    return any(instruction.opcode in ANSWERED for instruction in program.instructions)


def may_differ(program: Program, launch: LaunchShape, machine: Machine) -> bool:
    """Whether several SMs have blocks that may do better or worse than SM 0's.

    What SMs load together they wait for together, and their requests join on the way to L2; and not all have as many
    blocks. Some wait for loads behind the reductions of others.
    """
    return min(launch.num_blocks, machine.num_sms) > 1


def telling_blocks(program: Program, launch: LaunchShape, machine: Machine) -> tuple[int, ...]:
    """The blocks from whose trace :func:`sms_worth_simulating` follows; none where one SM stands for all anyway."""
    if may_differ(program, launch, machine):
        return traced_blocks(launch, machine)
    telling = _exceed_l1(LANES, program, launch, machine) or _run_at_once(program, launch, machine)
    return (0,) if telling else ()


def sms_worth_simulating(trace: Trace, machine: Machine) -> int:
    """How many SMs to simulate: all that have a block, if these may differ and that takes some seconds; else one.

    All, too, where it shows that an SM has clearly more to execute than the one that would stand for them. Some where
    an SM's warps may wait for more lines than L1 has. Then either most loads hit or nearly all miss, and L2 and DRAM
    have as much to do as there are SMs of which these do: with one that stands for all they are all in step. Some, too,
    where all blocks run at once and touch lines again: SM 0's may lie better in L1's sets than those of the others.

    Args:
        trace: of some of the grid's blocks; the others are taken to execute as many instructions.
        machine: on which the grid runs.
    """
    program, launch = trace.program, trace.launch
    if _is_uneven(trace, machine):
        return min(launch.num_blocks, machine.num_sms)
    if _exceed_l1(_most_lines(trace, machine), program, launch, machine):
        return min(SOME_SMS, machine.num_sms)
    instructions = count_instructions(trace).sum() * launch.num_blocks / trace.blocks.size
    if may_differ(program, launch, machine) and instructions <= MOST_INSTRUCTIONS:
        return min(launch.num_blocks, machine.num_sms)
    if not _run_at_once(program, launch, machine) or _touches(trace, machine) < AGAIN:
        return 1
    sms = min(UNLIKE_SMS, launch.num_blocks, machine.num_sms)
    return sms if instructions * sms / machine.num_sms <= FEW_INSTRUCTIONS else 1


def _run_at_once(program: Program, launch: LaunchShape, machine: Machine) -> bool:
    """Whether several SMs have blocks, and no block has to wait for another one's end."""
    return 1 < launch.num_blocks <= occupancy(program, launch, machine).blocks * machine.num_sms


def _exceed_l1(lines: int, program: Program, launch: LaunchShape, machine: Machine) -> bool:
    """Whether all warps that an SM has at once, each so many lines, touch more than L1 has; not of one block an SM."""
    if launch.num_blocks <= machine.num_sms:
        return False
    blocks = min(occupancy(program, launch, machine).blocks, -(-launch.num_blocks // machine.num_sms))
    room = machine.l1.bytes - carve_out(program, launch, machine)
    return bool(blocks * launch.warps_per_block * lines * machine.l1.line_bytes > room)


def _touches(trace: Trace, machine: Machine) -> float:
    """How often the trace's first block touches each of its lines of global memory, in the mean."""
    first = trace.blocks == trace.blocks[0]
    lines = len(lines_of(trace, first, Space.GLOBAL, machine.l1.line_bytes))
    warps = trace.warps[first[trace.warps["block"]]]
    starts, counts = warps["first_access"], warps["num_accesses"]
    shapes = np.concatenate([trace.accesses["shape"][a : a + n] for a, n in zip(starts, counts, strict=True)])
    accesses = np.bincount(shapes, minlength=len(trace.shapes))
    return float(accesses @ _lines(trace, machine)) / max(1, lines)


def _most_lines(trace: Trace, machine: Machine) -> int:
    """The most lines of global memory that an access touches."""
    return int(_lines(trace, machine).max(initial=0))


def _lines(trace: Trace, machine: Machine) -> NDArray[np.int64]:
    """How many lines of global memory an access of each shape touches, if it begins with one."""
    lines = np.zeros(len(trace.shapes), np.int64)
    for number in np.flatnonzero(trace.shapes["space"] == Space.GLOBAL):
        shape = trace.shapes[number]
        active = shape["offsets"][(int(shape["mask"]) >> np.arange(LANES)) & 1 == 1]
        lines[number] = len(np.unique(active // machine.l1.line_bytes))
    return lines
