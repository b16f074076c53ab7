"""Reading a trace back: what a warp executed, instruction by instruction."""

import numpy as np
from numpy.typing import NDArray

from isa.trace.model import Trace
from isa.trace.recorded import records_access

AT_ONCE = 1 << 20


def expand(trace: Trace, warp: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """All instructions that a warp executed, in order.

    Args:
        trace: the trace.
        warp: index into ``trace.warps``.

    Returns:
        Instruction indices and the masks under which they were executed, int32 and uint32, one per instruction.
    """
    stream = trace.warps["stream"][warp]
    indices = [np.zeros(0, np.int32)]
    masks = [np.zeros(0, np.uint32)]
    for pattern, repeats in trace.steps[trace.stream_offsets[stream] : trace.stream_offsets[stream + 1]]:
        once, masks_once = _expand_pattern(trace, pattern)
        indices.append(np.tile(once, repeats))
        masks.append(np.tile(masks_once, repeats))
    return np.concatenate(indices), np.concatenate(masks)


def _expand_pattern(trace: Trace, pattern: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Instruction indices and masks of a pattern executed once."""
    runs = trace.runs[trace.pattern_offsets[pattern] : trace.pattern_offsets[pattern + 1]]
    # The position of each instruction within its run, counted up from the run's start.
    ends = np.cumsum(runs["length"])
    within = np.arange(ends[-1]) - np.repeat(ends - runs["length"], runs["length"])
    once = (np.repeat(runs["start"], runs["length"]) + within).astype(np.int32)
    return once, np.repeat(runs["mask"], runs["length"])


def count_instructions(trace: Trace) -> NDArray[np.int64]:
    """Instructions that each warp executed, those whose guard was false in every lane included, int64 (W,)."""
    run_ends = np.concatenate([[0], np.cumsum(trace.runs["length"], dtype=np.int64)])
    in_pattern = np.diff(run_ends[trace.pattern_offsets])
    step_ends = np.concatenate([[0], np.cumsum(in_pattern[trace.steps["pattern"]] * trace.steps["repeats"])])
    in_stream: NDArray[np.int64] = np.diff(step_ends[trace.stream_offsets])
    counts: NDArray[np.int64] = in_stream[trace.warps["stream"]]
    return counts


def accesses_of(trace: Trace, warp: int) -> np.ndarray:
    """A warp's memory accesses in program order, dtype ACCESS."""
    first = trace.warps["first_access"][warp]
    return trace.accesses[first : first + trace.warps["num_accesses"][warp]]


def parts_of(warps: np.ndarray) -> list[np.ndarray]:
    """Warps of a trace parted so that those of a part, or its only one, make about ``AT_ONCE`` accesses.

    What is worked out of the accesses part by part takes little memory beside them.
    """
    before = np.cumsum(warps["num_accesses"]) - warps["num_accesses"]
    return np.split(warps, np.flatnonzero(np.diff(before // AT_ONCE)) + 1)


def count_executions(trace: Trace) -> NDArray[np.int64]:
    """How often the warps executed each instruction of the program with a lane active, int64 (instructions,)."""
    warps = np.bincount(trace.warps["stream"], minlength=len(trace.stream_offsets) - 1)
    of_step = trace.steps["repeats"] * np.repeat(warps, np.diff(trace.stream_offsets))
    of_pattern = np.zeros(len(trace.pattern_offsets) - 1, np.int64)
    np.add.at(of_pattern, trace.steps["pattern"], of_step)
    of_run = np.repeat(of_pattern, np.diff(trace.pattern_offsets)) * (trace.runs["mask"] != 0)
    change = np.zeros(len(trace.program.instructions) + 1, np.int64)
    np.add.at(change, trace.runs["start"], of_run)
    np.add.at(change, trace.runs["start"] + trace.runs["length"], -of_run)
    executions: NDArray[np.int64] = np.cumsum(change)[:-1]
    return executions


def accessing_instructions(trace: Trace, stream: int) -> NDArray[np.int32]:
    """The instruction behind each memory access of a warp with that stream, in program order, int32 (accesses,)."""
    records = np.array([records_access(instruction) for instruction in trace.program.instructions])
    accessing = [np.zeros(0, np.int32)]
    for pattern, repeats in trace.steps[trace.stream_offsets[stream] : trace.stream_offsets[stream + 1]]:
        once, masks = _expand_pattern(trace, pattern)
        accessing.append(np.tile(once[records[once] & (masks != 0)], repeats))
    return np.concatenate(accessing)
