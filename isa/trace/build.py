"""From a recorder to a Trace: streams and patterns numbered, accesses sorted by warp."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isa.launch import LaunchShape
from isa.program import Program
from isa.trace.compress import Item
from isa.trace.model import ACCESS, PLACE_BITS, RUN, STEP, WARP, Trace
from isa.trace.recorder import Recorder

PLACES = (1 << PLACE_BITS) - 1


def build(
    program: Program,
    launch: LaunchShape,
    blocks: NDArray[np.int64],
    recorder: Recorder,
    allocations: Iterable[tuple[int, int]],
) -> Trace:
    """The trace of everything that ``recorder`` has seen.

    Args:
        program, launch: what ran.
        blocks: linear ids of the blocks in the order in which they were recorded, shape (B,).
        recorder: its warps are those of the blocks, in the same order, and its batches have ended; its accesses are
            taken out of it.
        allocations: address and bytes of each array in device memory.
    """
    warps_per_block = launch.warps_per_block
    num_warps = len(blocks) * warps_per_block
    counts = np.concatenate(recorder.counts)

    warps = np.zeros(num_warps, WARP)
    warps["block"] = np.repeat(np.arange(len(blocks)), warps_per_block)
    warps["warp"] = np.tile(np.arange(warps_per_block), len(blocks))
    warps["first_access"] = np.cumsum(counts) - counts
    warps["num_accesses"] = counts

    # Cohorts that were apart for a while may have ended with equal histories.
    streams: dict[tuple[Item, ...], int] = {}
    stream_of_cohort: dict[int, int] = {}
    for index, cohort in enumerate(recorder.cohorts):
        if id(cohort) not in stream_of_cohort:
            steps = tuple(cohort.history.steps())
            stream_of_cohort[id(cohort)] = streams.setdefault(steps, len(streams))
        warps["stream"][index] = stream_of_cohort[id(cohort)]

    patterns: dict[tuple[int, ...], int] = {}
    step_rows = [
        (patterns.setdefault(pattern, len(patterns)), repeats) for steps in streams for pattern, repeats in steps
    ]
    all_runs = np.array(recorder.runs, RUN)
    return Trace(
        program=program,
        launch=launch,
        blocks=blocks,
        warps=warps,
        runs=all_runs[np.array([run for pattern in patterns for run in pattern], np.intp)],
        pattern_offsets=_offsets(len(pattern) for pattern in patterns),
        steps=np.array(step_rows, STEP),
        stream_offsets=_offsets(len(steps) for steps in streams),
        shapes=recorder.log.all_shapes(),
        accesses=_joined(recorder.accesses),
        allocations=np.array([(address & PLACES, size) for address, size in allocations], np.int64).reshape(-1, 2),
    )


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Several arrays as one; the list is emptied, so that not all of it is there twice."""
    joined = np.empty(sum(map(len, parts)), ACCESS)
    end = len(joined)
    while parts:
        start = end - len(parts[-1])
        joined[start:end] = parts.pop()
        end = start
    return joined


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *lengths], dtype=np.int64)
