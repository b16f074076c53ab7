"""simulate(): from a trace and a machine to a Result."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from isa.trace import Trace
from isa.trace.select import select
from smsim import engines
from smsim.bottlenecks.find import find_bottlenecks
from smsim.dispatch import SMs, blocks_of_sms, first_sm, sms_worth_simulating
from smsim.listeners import Listener
from smsim.machine import Machine, load
from smsim.part import part_of
from smsim.policies import Policy
from smsim.result import Result, Setting


def simulate(
    trace: Trace,
    machine: str | Path | Machine = "h100",
    cache: str = "warm",
    engine: str = "auto",
    *,
    policy: str | Policy | None = None,
    listeners: Sequence[Listener] = (),
    sms: SMs = "auto",
) -> Result:
    """Simulate the blocks of ``trace`` that one or several SMs of ``machine`` run.

    Args:
        trace: from :meth:`Function.trace` or :meth:`Trace.load`; blocks of other SMs are left out.
        machine: a machine's name, the path of a machine file, or a Machine.
        cache: "warm" is the second of two launches (instruction, constant and L2 caches as the first left them, L1
            empty), as under ``ncu --cache-control none``; "cold" is ``--cache-control all``; of short launches on one
            SM, which vary, the one that stands for all (:mod:`smsim.engines.refresh`).
        engine: "simpy", "compiled", or "auto" for the fastest that can do what is asked; the result is the same.
        policy: how a warp is picked: a name or a function; see :mod:`smsim.policies`.
        listeners: called with every event of the run; see :mod:`smsim.listeners`.
        sms: how many SMs are simulated together, over the L2 and DRAM that they share. The others, which are taken to
            do the same, leave these their part of both. "auto" takes all where that is worth its time, as far as the
            trace has their blocks (:func:`smsim.dispatch.sms_worth_simulating`), and otherwise, or for listeners,
            one. Which ones: :func:`smsim.dispatch.first_sm`.

    Raises:
        MachineError: no such machine, an unknown ``cache``, ``engine`` or ``policy``, more SMs than the machine has, or
            listeners for several SMs.
        TraceError: the trace lacks a block that an SM runs.
        LaunchError: no block fits on an SM.
        UnsupportedInstructionError: an instruction without timing.
    """
    machine = load(machine)
    count = _sms_worth_simulating(trace, machine, listeners) if sms == "auto" else sms
    blocks = blocks_of_sms(trace.launch, machine, count, first_sm(trace, machine, count))
    if not set(blocks) <= set(trace.blocks.tolist()):
        blocks = blocks_of_sms(trace.launch, machine, count)
    count = min(count, trace.launch.num_blocks)
    part = part_of(trace, blocks, machine)
    trace = select(trace, blocks)
    counts = engines.run(trace, machine, cache, engine, policy, listeners, part=part, sms=count)
    setting = Setting(
        machine=machine.name,
        overrides=dict(machine.changed),
        clock_mhz=machine.clock_mhz,
        max_warps=machine.limits.warps,
        cache=cache,
        engine=engine,
        blocks=blocks,
        sms=count,
        overhead_us=machine.launch.overhead_us,
    )
    limits = partial(find_bottlenecks, trace, machine, cache, counts, part.work)
    return Result(trace.program, trace.launch, setting, counts, limits)


def _sms_worth_simulating(trace: Trace, machine: Machine, listeners: Sequence[Listener]) -> int:
    """As far as the trace goes, and one for listeners, who hear one."""
    count = 1 if listeners else sms_worth_simulating(trace, machine)
    blocks = blocks_of_sms(trace.launch, machine, count, first_sm(trace, machine, count))
    return count if set(blocks) <= set(trace.blocks.tolist()) else 1
