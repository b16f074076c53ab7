"""A part of a trace: the blocks that one SM runs."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from isa.errors import TraceError
from isa.trace.model import Trace


def select(trace: Trace, blocks: Iterable[int]) -> Trace:
    """The trace of ``blocks`` alone, in ascending order; streams, shapes and accesses stay shared with ``trace``.

    Raises:
        TraceError: a block was not traced.
    """
    wanted = np.unique(np.fromiter(blocks, np.int64))
    missing = np.setdiff1d(wanted, trace.blocks)
    if missing.size:
        raise TraceError(
            f"the trace of {trace.program.name} lacks block {missing[0]} ({missing.size} of the {wanted.size} blocks "
            f"that the SM runs); trace the launch again for this machine, or with all blocks"
        )
    if wanted.size == trace.blocks.size:
        return trace
    kept = np.isin(trace.blocks, wanted)
    warps = trace.warps[kept[trace.warps["block"]]]
    new_index = np.cumsum(kept, dtype=np.int32) - 1
    warps["block"] = new_index[warps["block"]]
    return replace(trace, blocks=wanted, warps=warps)
