"""Simulates a recorded launch and lays it beside its measurement."""

from functools import lru_cache
from typing import Literal

import numpy as np

import kernels
from isa.module import load_source
from isa.program import Program
from isa.trace.model import Trace
from smsim.machine import Machine
from smsim.module import Function
from smsim.simulation import simulate
from validation.clock import ClockReads
from validation.compare import Comparison, compare
from validation.selection import RecordedCase

Emulate = Literal["sm", "all"]


def compare_case(case: RecordedCase, machine: Machine, emulate: Emulate = "sm") -> list[Comparison]:
    """Simulate a recorded launch in each of the cache modes asked for.

    ``emulate="all"`` runs the whole grid: the instructions of the whole grid are then exact, and it takes longer.

    Raises:
        SmsimError: the launch cannot be simulated, or not be compared with what was recorded.
    """
    measurement = case.measurement
    trace = trace_launch(case.kernel, measurement.launch, measurement.seed or 0, machine, emulate)
    instructions = trace_instructions(trace) if trace.blocks.size == measurement.num_blocks else None
    comparisons = []
    for cache in case.caches:
        timed = measurement.clock64 is not None and cache == "warm"  # the clock was read with warm caches
        reads = ClockReads(trace.program)
        result = simulate(trace, machine, cache, listeners=[reads] if timed else [])
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


def trace_launch(kernel: str, launch: str, seed: int, machine: Machine, emulate: Emulate = "sm") -> Trace:
    """What the launch of that kernel executes on that machine; errors as :func:`compare_case`."""
    chosen = kernels.get(kernel).launch(launch)
    function = Function(_program(kernel))
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, chosen.shared_mem)
    return function.trace(
        chosen.grid,
        chosen.block,
        chosen.arguments(seed),
        shared_mem=chosen.shared_mem,
        machine=machine,
        emulate=emulate,
    )


@lru_cache(maxsize=4)
def _program(name: str) -> Program:
    """A kernel's program: its launches come one after another."""
    kernel = kernels.get(name)
    return load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)


def trace_instructions(trace: Trace) -> int:
    """Warp instructions that the traced blocks executed."""
    runs = np.concatenate(([0], np.cumsum(trace.runs["length"], dtype=np.int64)))
    patterns = np.diff(runs[trace.pattern_offsets])
    steps = np.concatenate(([0], np.cumsum(patterns[trace.steps["pattern"]] * trace.steps["repeats"])))
    streams = np.diff(steps[trace.stream_offsets])
    return int(streams[trace.warps["stream"]].sum())
