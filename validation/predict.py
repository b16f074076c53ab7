"""Simulates a recorded launch and lays it beside its measurement."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import kernels
from isa.compile import compile_source
from isa.launch import LaunchShape
from isa.module import Module, load_cubin
from isa.program import Program
from isa.trace.history import count_instructions
from isa.trace.model import Trace
from smsim.dispatch import sms_worth_simulating
from smsim.machine import Machine
from smsim.module import Function, load_file
from smsim.simulation import simulate
from validation.clock import ClockReads
from validation.compare import Comparison, compare
from validation.identity import code_sha256
from validation.launches import ListedLaunch, listed_launches
from validation.measure_on_gpu.job import Argument
from validation.selection import RecordedCase

Emulate = Literal["sm", "all"]
COMPILATIONS = 12  # NVRTC gives each of two cubins in at least one of three compilations


def compare_case(case: RecordedCase, machine: Machine, emulate: Emulate = "sm") -> list[Comparison]:
    """Simulate a recorded launch in each of the cache modes asked for.

    ``emulate="all"`` runs the whole grid: the instructions of the whole grid are then exact, and it takes longer.

    Raises:
        SmsimError: the launch cannot be simulated, or not be compared with what was recorded.
    """
    measurement = case.measurement
    if case.source is None:
        program = measured_program(case.kernel, measurement.code_sha256)
    else:
        listed = _listed(case.source)[case.name]
        file = case.source / listed.entry.file
        program = measured_in_file(file, listed.entry.options, listed.function, measurement.code_sha256)
    what = case.kernel, measurement.launch, measurement.seed or 0
    trace = trace_launch(*what, machine, emulate, program=program, source=case.source)
    instructions = int(count_instructions(trace).sum()) if trace.blocks.size == measurement.num_blocks else None
    one = sms_worth_simulating(trace, machine) == 1
    comparisons = []
    for cache in case.caches:
        timed = measurement.clock64 is not None and cache == "warm"  # the clock was read with warm caches
        reads = ClockReads(trace.program)
        result = simulate(trace, machine, cache, listeners=[reads] if timed and one else [])
        if timed and not one:  # a listener hears one SM
            simulate(trace, machine, cache, listeners=[reads])
        comparisons.append(
            compare(
                case.name,
                case.case_class,
                result,
                measurement,
                grid_instructions=instructions,
                clock_cycles=reads.differences(),
            )
        )
    return comparisons


def trace_launch(
    kernel: str,
    launch: str,
    seed: int,
    machine: Machine,
    emulate: Emulate = "sm",
    *,
    program: Program | None = None,
    source: Path | None = None,
) -> Trace:
    """What the launch of that kernel executes on that machine; errors as :func:`compare_case`.

    ``program`` is the kernel's, compiled here when it is not given; ``source`` the folder that lists the launch, with
    arguments of its own, where the kernel is not of the catalogue.
    """
    if source is not None:
        listed = _listed(source)[f"{kernel}/{launch}"]
        listed_program = program or listed.module.program(listed.function)
        return _trace(listed_program, listed.shape, listed.arguments(), machine, emulate)
    chosen = kernels.get(kernel).launch(launch)
    shape = LaunchShape(chosen.grid, chosen.block, chosen.shared_mem)
    return _trace(program or _compiled(kernel), shape, chosen.arguments(seed), machine, emulate)


@lru_cache(maxsize=1)
def _listed(folder: Path) -> dict[str, ListedLaunch]:
    """A folder's launches by name."""
    return {one.name: one for one in listed_launches(folder)}


def _trace(
    program: Program, shape: LaunchShape, arguments: Sequence[Argument], machine: Machine, emulate: Emulate
) -> Trace:
    function = Function(program)
    shared = shape.dynamic_shared_bytes
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, shared)
    return function.trace(
        shape.grid, shape.block, arguments, shared_mem=shared, machine=machine, emulate=emulate, outputs=False
    )


@lru_cache(maxsize=4)
def measured_program(name: str, measured: str) -> Program:
    """A kernel's program, compiled anew some times where it is not the one with the code digest ``measured``.

    The last one, when none is: a comparison then tells that they differ. Launches of a kernel come one after another.
    """
    return _first_measured(lambda number: _compiled(name, anew=number > 0), measured)


def measured_in_file(file: Path, options: tuple[str, ...], function: str, measured: str) -> Program:
    """The same of a kernel in a file of the user's, which is compiled so often for all of its kernels together."""
    return _first_measured(lambda number: _module(file, options, number).program(function), measured)


def _first_measured(compiled: Callable[[int], Program], measured: str) -> Program:
    """The first of a program's compilations, by their numbers, that has a code digest, or the last one."""
    for number in range(1 + COMPILATIONS):
        program = compiled(number)
        if code_sha256(program) == measured:
            break
    return program


@lru_cache(maxsize=8 * (1 + COMPILATIONS))
def _module(file: Path, options: tuple[str, ...], number: int) -> Module:
    """A file's module as so many compilations before gave others."""
    return load_file(file, options, anew=number > 0)


def _compiled(name: str, anew: bool = False) -> Program:
    kernel = kernels.get(name)
    cubin = compile_source(kernel.code, kernel.options, kernel.source.name, anew=anew)
    return load_cubin(cubin).program(kernel.entry)
