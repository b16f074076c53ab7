"""Simulates recorded launches of the catalogue and lays each beside its measurement."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from isa.errors import SmsimError
from isa.module import load_source
from isa.trace.model import Trace
from kernels import Kernel
from smsim.machine import Machine
from smsim.module import Function
from smsim.simulation import simulate
from validation.compare import Comparison, compare
from validation.measurement import Cache, Measurement, MeasurementFile, gpu_folder, load

H100 = gpu_folder("NVIDIA H100 80GB HBM3")


def recorded(kernel: Kernel, folder: Path, gpu: str = H100) -> MeasurementFile:
    """What was measured of a catalogue kernel on the GPU with that folder name.

    Raises:
        MeasurementError: nothing was, or the file is damaged.
    """
    return load(folder / gpu / f"{kernel.name}.json")


def compare_kernel(
    kernel: Kernel,
    file: MeasurementFile,
    machine: Machine,
    caches: Iterable[Cache],
    *,
    launches: Iterable[str] | None = None,
    emulate: Literal["sm", "all"] = "sm",
) -> Iterator[Comparison | SmsimError]:
    """Simulate each recorded launch (or those named) in each cache mode.

    A launch that cannot be compared gives the error that says why, so that a suite goes on with the next.
    ``emulate="all"`` runs the whole grid: the instructions of the whole grid are then exact, and it takes longer.
    """
    module = load_source(kernel.code, kernel.options, kernel.source.name)
    function = Function(module.program(kernel.entry))
    names = [recording.launch for recording in file.launches] if launches is None else launches
    for name in names:
        try:
            measurement = file.launch(name)
            trace = _trace(kernel, function, measurement, machine, emulate)
            instructions = trace_instructions(trace) if trace.blocks.size == measurement.num_blocks else None
            for cache in caches:
                result = simulate(trace, machine, cache)
                yield compare(f"{kernel.name}/{name}", file.case_class, result, measurement, instructions)
        except SmsimError as error:
            yield error


def _trace(
    kernel: Kernel, function: Function, measurement: Measurement, machine: Machine, emulate: Literal["sm", "all"]
) -> Trace:
    launch = kernel.launch(measurement.launch)
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, launch.shared_mem)
    arguments = launch.arguments(measurement.seed or 0)
    return function.trace(
        launch.grid, launch.block, arguments, shared_mem=launch.shared_mem, machine=machine, emulate=emulate
    )


def trace_instructions(trace: Trace) -> int:
    """Warp instructions that the traced blocks executed."""
    runs = np.concatenate(([0], np.cumsum(trace.runs["length"], dtype=np.int64)))
    patterns = np.diff(runs[trace.pattern_offsets])
    steps = np.concatenate(([0], np.cumsum(patterns[trace.steps["pattern"]] * trace.steps["repeats"])))
    streams = np.diff(steps[trace.stream_offsets])
    return int(streams[trace.warps["stream"]].sum())
