"""All limits of a launch that was simulated."""

from dataclasses import replace
from math import ceil

from isa.trace import Trace
from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.bottlenecks.latency import latency
from smsim.bottlenecks.memory import ports, shared
from smsim.bottlenecks.units import units
from smsim.bottlenecks.work import tally
from smsim.counts import Counts
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.rescheduling import rescheduled


def find_bottlenecks(
    trace: Trace, machine: Machine, cache: str, counts: Counts, share: float = 1.0
) -> tuple[Bottleneck, ...]:
    """What each limit alone would make of the launch, the one that binds first.

    As uiCA (Abel and Reineke, ICS 2022) does for a core: for each resource the time it needs for what the launch asks
    of it, as if all else were free. Units are counted from the trace and the run's counters, at the machine's rates;
    :func:`latency` says how the time without any contention is found. Of what every SM has for itself, several SMs
    have as many: an SM's mean is given.

    Args:
        trace: what the SMs ran; machine, cache: what they ran on; counts: what the run gave.
        share: their part of the grid's blocks.
    """
    trace = rescheduled(trace, machine)
    work = tally(trace, machine, counts.warp_cycles)
    of_sms = [
        *units(work, machine, counts.warp_cycles[:, :, Reason.SELECTED]),
        *ports(work, machine, counts.memory),
    ]
    found = [
        *(_of_one(each, counts.sms) for each in of_sms),
        *shared(work, machine, counts.measured_memory, share),
        latency(trace, machine, cache, counts),
    ]
    return tuple(sorted(found, key=lambda bottleneck: -bottleneck.cycles))


def _of_one(limit: Bottleneck, sms: int) -> Bottleneck:
    """The mean over so many SMs of what each has for itself."""
    return replace(limit, cycles=ceil(limit.cycles / sms), amount=round(limit.amount / sms))
