"""What a driver hands back: plain counts, before anyone names or formats them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Counts:
    """Counts of the simulated SMs, added up.

    Attributes:
        cycles: from the first block's launch to the last warp's exit, drain included.
        warp_cycles: int64, shape (4, instructions, reasons): per SMSP of an SM, the warp-cycles spent before the
            instruction that the warp was to issue next, by ``Reason``. Summed over the last two axes it is
            the warp-cycles resident on that SMSP; its SELECTED column is the instructions issued.
        thread_instructions: lanes active, summed over the instructions issued, guard-false lanes included.
        memory: counters of caches and pipes by ncu's name, e.g. "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum".
        sms: how many SMs ran.
        last_answer: when L2 has begun with the last that it was asked for and the dispatcher has heard of the last
            block's end; the SMs may have ended before.
        alone: of the same launch in a single pass of ncu, for which that copies nothing back before; None where that is
            no different. Time and the bytes of DRAM are measured so.
    """

    cycles: int
    warp_cycles: NDArray[np.int64]
    thread_instructions: int
    memory: dict[str, int] = field(default_factory=dict)
    sms: int = 1
    last_answer: int = 0
    alone: "Counts | None" = None
