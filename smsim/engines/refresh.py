"""When DRAM was refreshed last as a launch begins: at any time on the H100, so that short ones with cold caches vary.

A bank cannot be read while it is refreshed, an eighth of the time. Of the launches on one SM whose data come within
some thousand cycles some wait for that and some do not: four of ``scale_scalar/1x1024`` took 1,226 to 1,968 cycles. The
one that is simulated stands for all.
"""

from collections.abc import Callable

from isa.trace import Trace
from isa.trace.history import count_instructions
from smsim.counts import BYTES_READ, Counts
from smsim.description.sections import Dram
from smsim.state.sizes import NUM_SMSPS

BEGINS = 8
# Launches that last longer meet all refreshes, whenever they begin.
FEW_INTERVALS = 2


def typical_refresh(trace: Trace, dram: Dram, simulate: Callable[[int], Counts]) -> int:
    """How many cycles before a launch on one SM the first bank's refresh began, for cycles as in the mean.

    Args:
        trace: what the SM runs.
        dram: when its banks are refreshed.
        simulate: the launch, by that number of cycles.

    Returns that of `BEGINS`, evenly apart, whose cycles are nearest to the mean of all; 0 where it makes no difference,
    as for long launches.
    """
    long = FEW_INTERVALS * dram.refresh_interval
    if dram.refresh == 0 or count_instructions(trace).sum() > NUM_SMSPS * long:
        return 0
    first = simulate(0)
    if first.memory[BYTES_READ] == 0 or first.cycles > long:
        return 0
    begins = [number * dram.refresh_interval // BEGINS for number in range(BEGINS)]
    cycles = [first.cycles, *(simulate(begin).cycles for begin in begins[1:])]
    mean = sum(cycles) / BEGINS
    return min(zip(cycles, begins, strict=True), key=lambda launch: abs(launch[0] - mean))[1]
