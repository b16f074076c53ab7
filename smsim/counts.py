"""What a driver hands back: plain counts, before anyone names or formats them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from smsim.events import COUNTERS, Event

BYTES_READ = COUNTERS[Event.DRAM_BYTES_READ]
ALONE = (BYTES_READ, COUNTERS[Event.DRAM_BYTES_WRITTEN])  # measured in a single pass of ncu, as time is


@dataclass(frozen=True)
class Counts:
    """Counts of the simulated SMs, added up.

    Attributes:
        cycles: from the first block's launch to the last warp's exit, drain included.
        warp_cycles: int64, shape (4, instructions, reasons): per SMSP of an SM, the warp-cycles spent before the
            instruction that the warp was to issue next, by ``Reason``. Summed over the last two axes it is
            the warp-cycles resident on that SMSP; its SELECTED column is the instructions issued.
        thread_instructions: lanes active, summed over the instructions issued, guard-false lanes included.
        memory: counters of caches and pipes by ncu's name, e.g. "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", as
            they came out of this run.
        sms: how many SMs ran.
        last_answer: when L2 has begun with the last that it was asked for and the dispatcher has heard of the last
            block's end; the SMs may have ended before.
        launch_bytes: that the launch has read from DRAM for itself, once for the whole grid: its code and the like.
        simulate_alone: simulates the same launch in a single pass of ncu, for which that copies nothing back before;
            None where that is no different.
    """

    cycles: int
    warp_cycles: NDArray[np.int64]
    thread_instructions: int
    memory: dict[str, int] = field(default_factory=dict)
    sms: int = 1
    last_answer: int = 0
    launch_bytes: int = 0
    simulate_alone: "Callable[[], Counts] | None" = field(default=None, repr=False, compare=False)

    @cached_property
    def alone(self) -> "Counts":
        """Of the launch in a single pass, which is simulated when somebody asks: time is measured so."""
        return self.simulate_alone() if self.simulate_alone else self

    @cached_property
    def measured_memory(self) -> dict[str, int]:
        """``memory``, but of a single pass what is measured in one."""
        return self.memory | {name: self.alone.memory[name] for name in ALONE if name in self.memory}

    def grid_memory(self, scale: float = 1.0) -> dict[str, float]:
        """What ncu counts of a grid: its accesses', and what the launch reads for itself.

        Args:
            scale: how many times what the simulated SMs do the whole grid does.
        """
        own = {BYTES_READ: self.launch_bytes}
        return {name: scale * count + own.get(name, 0) for name, count in self.measured_memory.items()}
