"""One generated program on both sides: the cycles of its main loop, simulated and measured, and its outputs."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isa.module import load_source
from kernels import Kernel
from kernels.generated.launches import make_kernel
from kernels.generated.program import Program
from smsim.machine import Machine
from smsim.module import Function
from smsim.simulation import simulate
from validation.clock import ClockReads
from validation.measure_on_gpu.device import LoadedCase, import_cupy
from validation.measure_on_gpu.job import load_job
from validation.measure_on_gpu.worker import run_case
from validation.prepare import catalogue_cases, write_job

LAUNCHES = 3  # of each program, the first to warm the caches not counted
NOISE_CYCLES = 8  # of a difference that says nothing, in however short a loop


@dataclass(frozen=True)
class Sides:
    """What both sides say of a program's first launch.

    Attributes:
        predicted: cycles between the two clock64() of each warp of the first block.
        measured: the same of several launches on the GPU.
        wrong: what differs between the outputs and the emulator's; empty when nothing does.
    """

    predicted: tuple[int, ...]
    measured: tuple[tuple[int, ...], ...]
    wrong: str = ""

    @property
    def error(self) -> float:
        """Predicted over measured cycles of the slowest warp, less 1, for the launch that comes nearest.

        0 when the difference is no more than a few cycles.
        """
        predicted = max(self.predicted)
        nearest = min((max(cycles) for cycles in self.measured), key=lambda cycles: abs(cycles - predicted))
        return 0.0 if abs(predicted - nearest) <= NOISE_CYCLES else predicted / nearest - 1.0

    def differ(self, tolerance: float) -> bool:
        """Whether the outputs differ, or the cycles by more than ``tolerance`` (relative)."""
        return bool(self.wrong) or abs(self.error) > tolerance


class Bench:
    """Runs programs on a simulated machine and on this machine's GPU.

    Raises MeasureError when there is no GPU, or no CuPy.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._cupy: Any = import_cupy()

    def lay(self, program: Program) -> Sides:
        """Both sides of a program.

        Raises:
            SmsimError: the simulator cannot run it.
        """
        kernel = make_kernel(program, "drawn", family="random", description="drawn for differential testing")
        wrong, measured = self._measure(kernel)
        return Sides(predict(kernel, self._machine), tuple(map(tuple, measured)), wrong)

    def _measure(self, kernel: Kernel) -> tuple[str, Sequence[Sequence[int]]]:
        launch = kernel.launches[0]
        warps = launch.block[0] // 32
        with tempfile.TemporaryDirectory(prefix="smsim-") as name:
            write_job(Path(name), catalogue_cases([kernel], [launch.name]))
            job = load_job(Path(name))
            initial = launch.arguments()
            loaded = LoadedCase(self._cupy, job, job.cases[0], initial)
            record = run_case(loaded, job.expected(job.cases[0], initial), LAUNCHES, timed=False)
            loaded.release()
        return record["message"], [clocks[:warps] for clocks in record["clock64"]]


def predict(kernel: Kernel, machine: Machine) -> tuple[int, ...]:
    """Simulated cycles between the two clock64() of each warp of the first block of a kernel's first launch.

    Raises:
        SmsimError: the simulator cannot run it.
    """
    launch = kernel.launches[0]
    program = load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)
    trace = Function(program).trace(launch.grid, launch.block, launch.arguments(), machine=machine, outputs=False)
    reads = ClockReads(program)
    simulate(trace, machine, listeners=[reads])
    differences = reads.differences()
    assert differences is not None, "every generated kernel reads the clock twice in every warp"
    return differences
