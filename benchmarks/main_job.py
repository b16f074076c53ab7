"""``python -m benchmarks.main_job [KERNEL ...]``: seconds per step of ``smsim run``, and cycles per second."""

import sys
import time
from collections.abc import Callable
from typing import Any

import kernels
import smsim
from isa.module import load_source
from smsim.module import Function

KERNELS = ("chain_ffma_ilp4", "dot_ilp4", "matmul_naive", "rsqrt_unroll4")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def measure(name: str) -> None:
    kernel = kernels.get(name)
    launch = kernel.default
    compiling, program = timed(
        lambda: load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)
    )
    function = Function(program)
    running, trace = timed(
        lambda: function.trace(
            launch.grid, launch.block, launch.arguments(), shared_mem=launch.shared_mem, outputs=False
        )
    )
    simulating, result = timed(lambda: smsim.simulate(trace))
    rate = result.cycles / simulating
    print(
        f"{name:20} compile {compiling:6.2f} s  run {running:6.2f} s  simulate {simulating:6.2f} s  "
        f"{result.cycles:>10,} cycles  {result.instructions:>10,} instructions  {rate:>10,.0f} cycles/s",
        flush=True,
    )


if __name__ == "__main__":
    for chosen in sys.argv[1:] or KERNELS:
        measure(chosen)
