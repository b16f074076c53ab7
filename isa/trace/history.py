"""Reading a trace back: what a warp executed, instruction by instruction."""

import numpy as np
from numpy.typing import NDArray

from isa.trace.model import Trace


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
        runs = trace.runs[trace.pattern_offsets[pattern] : trace.pattern_offsets[pattern + 1]]
        # The position of each instruction within its run, counted up from the run's start.
        ends = np.cumsum(runs["length"])
        within = np.arange(ends[-1]) - np.repeat(ends - runs["length"], runs["length"])
        once = (np.repeat(runs["start"], runs["length"]) + within).astype(np.int32)
        indices.append(np.tile(once, repeats))
        masks.append(np.tile(np.repeat(runs["mask"], runs["length"]), repeats))
    return np.concatenate(indices), np.concatenate(masks)


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
