"""All limits of a launch that was simulated."""

from isa.trace import Trace
from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.bottlenecks.latency import latency
from smsim.bottlenecks.memory import beyond_l1
from smsim.bottlenecks.units import units
from smsim.bottlenecks.work import tally
from smsim.counts import Counts
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.rescheduling import rescheduled


def find_bottlenecks(trace: Trace, machine: Machine, cache: str, counts: Counts) -> tuple[Bottleneck, ...]:
    """What each limit alone would make of the launch, the one that binds first.

    As uiCA (Abel and Reineke, ICS 2022) does for a core: for each resource the time it needs for what the launch asks
    of it, as if all else were free. Units are counted from the trace and the run's counters, at the machine's rates;
    :func:`latency` says how the time without any contention is found.

    Args:
        trace: what the SM ran; machine, cache: what it ran on; counts: what the run gave.
    """
    trace = rescheduled(trace, machine)
    work = tally(trace, machine, counts.warp_cycles)
    found = [
        *units(work, machine, counts.warp_cycles[:, :, Reason.SELECTED]),
        *beyond_l1(work, machine, counts.memory),
        latency(trace, machine, cache, counts.cycles),
    ]
    return tuple(sorted(found, key=lambda bottleneck: -bottleneck.cycles))
