"""A trace's streams as the cursor walks them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace

# Of a run also how many lanes its mask has.
RUN = np.dtype([("start", np.int64), ("length", np.int64), ("mask", np.int64), ("lanes", np.int64)], align=True)
STEP = np.dtype([("first_run", np.int64), ("end_run", np.int64), ("repeats", np.int64)], align=True)
TRACED_WARP = np.dtype([("first_step", np.int64), ("end_step", np.int64), ("first_access", np.int64)], align=True)
TRACED_BLOCK = np.dtype([("first_warp", np.int64), ("end_warp", np.int64)], align=True)


class History(NamedTuple):
    """What the warps execute: a warp's steps, each some runs repeated; a run is a stretch of code under one mask."""

    runs: np.ndarray
    steps: np.ndarray
    traced_warps: np.ndarray
    traced_blocks: np.ndarray


def build_history(trace: Trace) -> History:
    """The trace's arrays with every reference resolved to a range."""
    runs = np.zeros(len(trace.runs), RUN)
    for name in ("start", "length", "mask"):
        runs[name] = trace.runs[name]
    runs["lanes"] = np.bitwise_count(trace.runs["mask"])
    steps = np.zeros(len(trace.steps), STEP)
    steps["first_run"] = trace.pattern_offsets[trace.steps["pattern"]]
    steps["end_run"] = trace.pattern_offsets[trace.steps["pattern"] + 1]
    steps["repeats"] = trace.steps["repeats"]
    warps = np.zeros(len(trace.warps), TRACED_WARP)
    warps["first_step"] = trace.stream_offsets[trace.warps["stream"]]
    warps["end_step"] = trace.stream_offsets[trace.warps["stream"] + 1]
    warps["first_access"] = trace.warps["first_access"]
    blocks = np.zeros(len(trace.blocks), TRACED_BLOCK)
    blocks["first_warp"] = np.searchsorted(trace.warps["block"], np.arange(len(trace.blocks)), "left")
    blocks["end_warp"] = np.searchsorted(trace.warps["block"], np.arange(len(trace.blocks)), "right")
    return History(runs, steps, warps, blocks)


def jumps(history: History) -> NDArray[np.int64]:
    """The instructions behind which a warp went on elsewhere than at the next one, ascending."""
    runs, steps = history.runs, history.steps
    last, first = steps["end_run"] - 1, steps["first_run"]
    within = np.setdiff1d(np.arange(len(runs) - 1), last)
    repeated = steps["repeats"] > 1
    followed = np.setdiff1d(np.arange(len(steps) - 1), history.traced_warps["end_step"] - 1)
    before = np.concatenate([within, last[repeated], last[followed]])
    after = np.concatenate([within + 1, first[repeated], first[followed + 1]])
    ends = runs["start"] + runs["length"]
    return np.unique(ends[before][ends[before] != runs["start"][after]] - 1)
