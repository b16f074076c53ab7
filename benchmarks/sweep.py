"""How long a sweep over a hundred latencies takes: ``python -m benchmarks.sweep [KERNEL ...]``.

A kernel is compiled and run once; its trace is then simulated on a hundred machines.
"""

import sys
import time
from collections.abc import Iterable

import kernels
import smsim
from isa.module import load_source
from smsim.module import Function

KERNELS = ("chain_ffma_ilp4", "dot_ilp4", "matmul_naive", "rsqrt_unroll4")
SWEEPS = {"pipes.fma.latency": range(2, 102), "l1.miss_latency": range(10, 1010, 10)}


def trace_of(name: str) -> smsim.Trace:
    """The trace of a catalogue kernel's default launch."""
    kernel = kernels.get(name)
    launch = kernel.default
    function = Function(load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry))
    return function.trace(launch.grid, launch.block, launch.arguments(), shared_mem=launch.shared_mem, outputs=False)


def sweep(trace: smsim.Trace, path: str, values: Iterable[int]) -> list[int]:
    """The launch's cycles with each of the values of a machine."""
    machine = smsim.load_machine("h100")
    return [smsim.simulate(trace, machine.replace({path: value})).cycles for value in values]


def main() -> None:
    for name in sys.argv[1:] or KERNELS:
        trace = trace_of(name)
        smsim.simulate(trace)  # the first simulation loads the rules
        for path, values in SWEEPS.items():
            start = time.perf_counter()
            cycles = sweep(trace, path, values)
            seconds = time.perf_counter() - start
            print(
                f"{name:16} {path} {values[0]} to {values[-1]}: {len(cycles)} simulations in {seconds:5.2f} s, "
                f"{min(cycles):,} to {max(cycles):,} cycles",
                flush=True,
            )


if __name__ == "__main__":
    main()
