"""simulate(): from a trace and a machine to a Result."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isa.errors import MachineError
from isa.trace import Trace
from isa.trace.select import select
from smsim import engines
from smsim.dispatch import blocks_of_sm
from smsim.machine import Machine, load
from smsim.result import Result, Setting

CACHES = ("warm", "cold")
ENGINES = ("auto", "simpy", "compiled")


def simulate(
    trace: Trace,
    machine: str | Path | Machine = "h100",
    cache: str = "warm",
    engine: str = "auto",
    *,
    policy: Any = None,
    listeners: Sequence[Any] = (),
) -> Result:
    """Simulate the blocks of ``trace`` that SM 0 of ``machine`` runs.

    Args:
        trace: from :meth:`Function.trace` or :meth:`Trace.load`; blocks of other SMs are left out.
        machine: a machine's name, the path of a machine file, or a Machine.
        cache: "warm" is the second of two launches (instruction, constant and L2 caches as the first left them, L1
            empty), as under ``ncu --cache-control none``; "cold" is ``--cache-control all``.
        engine: "compiled", "simpy", or "auto": compiled unless a policy or listeners ask for simpy. The result is the
            same.
        policy: a scheduling policy, by name or written in Python; see :mod:`smsim.engines`.
        listeners: called with the events of the run; they cannot change it.

    Raises:
        MachineError: no such machine, or an unknown ``cache`` or ``engine``.
        TraceError: the trace lacks a block that the SM runs.
    """
    _check_word("cache", cache, CACHES)
    _check_word("engine", engine, ENGINES)
    machine = load(machine)
    blocks = blocks_of_sm(trace.launch, trace.program, machine)
    counts = engines.run(select(trace, blocks), machine, cache, engine, policy=policy, listeners=listeners)
    setting = Setting(
        machine=machine.name,
        overrides=dict(machine.changed),
        clock_mhz=machine.clock_mhz,
        max_warps=machine.limits.warps,
        cache=cache,
        engine=engine,
        blocks=blocks,
    )
    return Result(trace.program, trace.launch, setting, counts)


def _check_word(what: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise MachineError(f"unknown {what} {word!r}; use {' or '.join(words)}")
