"""Where the time of ``smsim run`` goes: ``python -m benchmarks.main_job [KERNEL ...]``.

Milliseconds of CPU time, the best of three: to compile the source, to run the kernel and build its trace, to simulate
that, and what of it goes into building the model; and simulated cycles per second.
"""

import sys

import kernels
import smsim
from benchmarks.timing import timed
from isa.module import load_source
from smsim.model import build_model
from smsim.module import Function

KERNELS = ("chain_ffma_ilp4", "dot_ilp4", "matmul_naive", "rsqrt_unroll4")


def measure(name: str) -> str:
    """A row of the table: a kernel's default launch."""
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
    building, _ = timed(lambda: build_model(trace, smsim.load_machine("h100"), cold=False))
    simulating, result = timed(lambda: smsim.simulate(trace))
    steps = (compiling, running, simulating, building)
    times = " | ".join(f"{1000 * seconds:.1f}" for seconds in steps)
    return f"| {name} | {result.instructions:,} | {times} | {result.cycles / simulating / 1e6:.2f} |"


def rows(names: tuple[str, ...]) -> list[str]:
    """The table of some kernels of the catalogue."""
    table = [
        "| ms to | warp-instructions | compile | run and trace | simulate | of it build the model | M cycles/s |",
        "|-|-:|-:|-:|-:|-:|-:|",
    ]
    for name in names:
        table.append(measure(name))
        print(table[-1], flush=True)
    return table


if __name__ == "__main__":
    rows(tuple(sys.argv[1:]) or KERNELS)
