"""The drivers: what carries the rules through time."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from isa.compiled import has_machine_code
from isa.errors import MachineError
from isa.trace import Trace
from smsim.accesses import array_lines
from smsim.counts import Counts
from smsim.engines.announcer import Announcer
from smsim.engines.refresh import typical_refresh
from smsim.events import COUNTERS
from smsim.launch_bytes import launch_bytes
from smsim.listeners import Listener
from smsim.machine import Machine
from smsim.model import Model, build_model, walkers
from smsim.part import WHOLE, Part
from smsim.policies import DEFAULT, Policy
from smsim.rescheduling import rescheduled
from smsim.several import apart, several
from smsim.state.l2 import L2_WAYS

ENGINES = ("auto", "simpy", "compiled")
CACHES = ("warm", "cold")
MUCH = 0.05  # of what L2 held


def run(  # noqa: PLR0917  (simulate's order)
    trace: Trace,
    machine: Machine,
    cache: str = "warm",
    engine: str = "auto",
    policy: str | Policy | None = None,
    listeners: Sequence[Listener] = (),
    *,
    part: Part = WHOLE,
    sms: int = 1,
) -> Counts:
    """Simulate one SM that runs all blocks of the trace, or several that share them.

    Args:
        trace: what its warps executed.
        machine: the SM.
        cache: "warm" (instruction and constant caches and L2 hold what the kernel needs, as behind a launch that ncu
            has profiled: what it stored has been copied back) or "cold".
        engine: "simpy", "compiled", or "auto" for the fastest that can do what is asked; the result is the same.
        policy: a name (see :mod:`smsim.policies`) or a function that picks one of the eligible warps.
        listeners: called with every event.
        part: of the GPU that the SMs are.
        sms: how many.

    Raises MachineError for an unknown cache mode, engine or policy, and for a policy written in Python on the compiled
    engine, LaunchError when no block fits on the SM, UnsupportedInstructionError for an instruction without timing,
    KernelError for warps that wait for ever.
    """
    for name, value, known in (("cache", cache, CACHES), ("engine", engine, ENGINES)):
        if value not in known:
            raise MachineError(f"{name} is {value!r}; it must be one of {', '.join(known)}")
    if sms > 1 and listeners:
        raise MachineError(f"listeners hear one SM; take sms=1, not {sms}, or no listeners")
    policy = policy or DEFAULT
    if engine == "compiled" and not isinstance(policy, str):
        raise MachineError('the compiled engine cannot ask a policy written in Python; take engine "simpy" or "auto"')
    trace = rescheduled(trace, machine)
    model, alone = _begun(trace, machine, part, sms, cache)
    if cache == "cold" and part.busy == 1:
        usual = policy if isinstance(policy, str) else DEFAULT
        refreshed = partial(_run_refreshed, trace, model, engine, usual)
        model.chip["refreshed"] = typical_refresh(trace, machine.dram, refreshed)
    models = _sms(model)
    counts = _run(trace, models, engine, policy, listeners)
    if cache == "cold":
        return replace(counts, launch_bytes=launch_bytes(models, machine))
    if alone is None:
        return counts
    return replace(counts, simulate_alone=partial(_run_apart, trace, alone, engine, policy))


def _run_apart(trace: Trace, model: Model, engine: str, policy: str | Policy) -> Counts:
    """Run a launch without what ncu copies back before it; its model stays as it is."""
    from smsim.rules.before import copy_from_host  # noqa: PLC0415

    model = apart(model)
    copy_from_host(model, model.stored.nonzero()[0])
    return _run(trace, _sms(model), engine, policy, ())


def _run_refreshed(trace: Trace, model: Model, engine: str, policy: str, refreshed: int) -> Counts:
    """Run a launch that begins so many cycles behind a refresh of DRAM; its model stays as it is."""
    model = apart(model)
    model.chip["refreshed"] = refreshed
    return _run(trace, _sms(model), engine, policy, ())


def _begun(trace: Trace, machine: Machine, part: Part, sms: int, cache: str) -> tuple[Model, Model | None]:
    """A launch that is about to begin, and, if L2 has given up much for what ncu copies back before it, one without.

    Less changes little, and a second simulation, of time and DRAM's bytes, takes as long as the first.
    """
    # SimPy and Numba load only when they run.
    from smsim.rules.before import bring, copy_back, has_lost, leave_launch  # noqa: PLC0415
    from smsim.rules.code_before import leave_code  # noqa: PLC0415

    model = build_model(trace, machine, part, sms, cold=cache == "cold")
    if cache == "cold":
        bring(model)
        return model, None
    leave_launch(replace(model, warps=walkers(model)))
    leave_code(model)
    stored = model.stored.nonzero()[0]
    if len(stored) == 0:
        return model, None
    alone = apart(model)
    copy_back(model, stored, array_lines(trace, machine.l1.line_bytes), machine.num_sms)
    if not (model.l2["tag"].reshape(-1, L2_WAYS) >= 0).all(axis=1).any():
        return model, None
    held = alone.l2["tag"] >= 0
    moved = alone.l2["tag"][held & (alone.l2["tag"] != model.l2["tag"])]
    return model, alone if has_lost(model, moved, MUCH * held.sum()) else None


def _sms(model: Model) -> Model:
    """As many SMs as a model is of."""
    return several(model, int(model.chip["sms"][0]))


def _run(trace: Trace, models: Model, engine: str, policy: str | Policy, listeners: Sequence[Listener]) -> Counts:
    announcer = Announcer(trace, listeners)
    if isinstance(policy, str) and engine != "simpy":
        from smsim.engines import compiled_driver  # noqa: PLC0415

        compiled_driver.run(trace, models, policy, announcer)
    else:
        from smsim.engines import simpy_driver  # noqa: PLC0415

        simpy_driver.run(trace, models, policy, announcer)
    return Counts(
        cycles=int(models.sm["last_exit"].max()),
        warp_cycles=models.warp_cycles,
        thread_instructions=int(models.smsps["thread_instructions"].sum()),
        memory={name: int(models.sm["events"][..., event].sum()) for event, name in COUNTERS.items()},
        sms=len(models.sm),
        last_answer=int(models.chip["last_ready"].max()),
    )


def is_compiled() -> bool:
    """Whether the loop's machine code, nearly all there is, is on disk; if not, the first simulation takes longer."""
    from smsim.engines.loop import run_cycles  # noqa: PLC0415

    return has_machine_code(run_cycles)
