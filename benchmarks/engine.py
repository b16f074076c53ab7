"""How fast the drivers are on one SM: ``python -m benchmarks.engine [--write]``.

All blocks run on the one SM. ``skipping`` is the compiled driver as it is used, which skips what repeats exactly;
``compiled`` is the same without that. CPU time of one core, the best of three runs, without building the model.
Two more tables say how it grows with SMs, and where the time of a command goes (:mod:`benchmarks.main_job`).
``--write`` puts all into docs/performance.md.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

import smsim
from benchmarks import main_job
from benchmarks.timing import timed
from isa.trace.history import count_instructions
from smsim.engines import compiled_driver, simpy_driver
from smsim.engines.announcer import Announcer
from smsim.model import Model, build_model
from smsim.module import RawModule
from smsim.policies import DEFAULT
from smsim.rules.before import leave_launch
from smsim.rules.code_before import leave_code
from smsim.several import one_of, several

SOURCE = """
#define KERNEL(name, body) \\
    extern "C" __global__ void name(float *out, float a, int n) { \\
        float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3; \\
        _Pragma("unroll 16") for (int i = 0; i < n; i++) { body } \\
        out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3; \\
    }
KERNEL(ffma_ilp1, x0 = x0 * a + a;)
KERNEL(ffma_ilp4, x0 = x0 * a + a; x1 = x1 * a + a; x2 = x2 * a + a; x3 = x3 * a + a;)
KERNEL(mufu, x0 = rsqrtf(x0);)
extern "C" __global__ void shared_memory(float *out, float a, int n) {
    __shared__ float values[1024];
    values[threadIdx.x] = a;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        float x = values[(threadIdx.x + 33) % blockDim.x];
        __syncthreads();
        values[threadIdx.x] = x + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = values[threadIdx.x];
}
extern "C" __global__ void dot(float *out, const float *in, int n, int times) {
    float sum = 0;
    for (int k = 0; k < times; k++)
        for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i] * in[i + 1];
    atomicAdd(out, sum);
}
"""
MACHINE = smsim.load_machine("h100").replace({"gpu.num_sms": 1})
OUT, VALUES = np.zeros(2048, np.float32), np.ones(8193, np.float32)
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"

Driver = Callable[[smsim.Trace, Model], None]


def _compiled(*, skip_periods: bool) -> Driver:
    def run(trace: smsim.Trace, model: Model) -> None:
        compiled_driver.run(trace, model, DEFAULT, Announcer(trace, ()), skip_periods=skip_periods)

    return run


def _simpy(trace: smsim.Trace, model: Model) -> None:
    simpy_driver.run(trace, model, DEFAULT, Announcer(trace, ()))


DRIVERS: dict[str, Driver] = {
    "compiled": _compiled(skip_periods=False),
    "skipping": _compiled(skip_periods=True),
    "simpy": _simpy,
}
# Kernel, grid, block, and the arguments behind the output: for the compiled driver, and fewer for SimPy.
CASES: dict[str, tuple[str, int, int, tuple[object, ...], tuple[object, ...]]] = {
    "FFMA chain, ILP 1, 1 warp": ("ffma_ilp1", 1, 32, (0.5, 40000), (0.5, 320)),
    "FFMA chain, ILP 1, 8 warps": ("ffma_ilp1", 1, 256, (0.5, 16000), (0.5, 160)),
    "FFMA chain, ILP 1, 64 warps": ("ffma_ilp1", 2, 1024, (0.5, 4000), (0.5, 48)),
    "FFMA chain, ILP 4, 1 warp": ("ffma_ilp4", 1, 32, (0.5, 20000), (0.5, 160)),
    "FFMA chain, ILP 4, 8 warps": ("ffma_ilp4", 1, 256, (0.5, 8000), (0.5, 80)),
    "FFMA chain, ILP 4, 64 warps": ("ffma_ilp4", 2, 1024, (0.5, 1000), (0.5, 16)),
    "MUFU, 8 warps": ("mufu", 1, 256, (0.5, 2000), (0.5, 32)),
    "MUFU, 64 warps": ("mufu", 2, 1024, (0.5, 1000), (0.5, 16)),
    "shared memory, 16 warps": ("shared_memory", 1, 512, (0.5, 400), (0.5, 10)),
    "dot in L1, 8 warps": ("dot", 1, 256, (VALUES, 8192, 16), (VALUES, 8192, 1)),
}
# Kernel, arguments, and how often the loop goes around on all SMs together.
OUTS = np.zeros(132 * 256, np.float32)
ON_SMS: dict[str, tuple[str, tuple[object, ...], int]] = {
    "shared memory, 8 warps": ("shared_memory", (OUTS, 0.5), 132 * 400),
    "dot in L1, 8 warps": ("dot", (OUTS, VALUES, 8192), 132 * 16),
}


def measure(trace: smsim.Trace, driver: Driver, runs: int = 3) -> tuple[int, int, float]:
    """Cycles, warp-instructions and CPU seconds of a trace."""
    best = float("inf")
    for _ in range(runs):
        model = several(build_model(trace, MACHINE, cold=False), 1)
        leave_launch(one_of(model, 0))
        leave_code(one_of(model, 0))
        start = time.process_time()
        driver(trace, model)
        best = min(best, time.process_time() - start)
    return int(model.sm["last_exit"].max()), int(model.warp_cycles[..., 0].sum()), best


def rates(module: RawModule) -> list[str]:
    """A row for each case and driver."""
    rows = [
        "| | driver | cycles | warp-instructions | seconds | M cycles/s | M warp-instructions/s |",
        "|-|-|-:|-:|-:|-:|-:|",
    ]
    for name, driver in DRIVERS.items():
        for title, (kernel, grid, block, many, few) in CASES.items():
            args = few if driver is _simpy else many
            trace = module.get_function(kernel).trace(grid, block, (OUT, *args), machine=MACHINE)
            cycles, instructions, seconds = measure(trace, driver, 1 if driver is _simpy else 3)
            rate, issued = cycles / seconds / 1e6, instructions / seconds / 1e6
            rows.append(
                f"| {title} | {name} | {cycles:,} | {instructions:,} | {seconds:.4f} | {rate:.3f} | {issued:.3f} |"
            )
            print(rows[-1], flush=True)
    return rows


def growth(module: RawModule) -> list[str]:
    """Nanoseconds per warp-instruction with more warps, and with more instructions."""
    rows = ["| FFMA chain, ILP 1 | warp-instructions | ns per warp-instruction |", "|-|-:|-:|"]
    for warps, times in ((1, 8000), (4, 8000), (16, 8000), (32, 8000), (8, 1000), (8, 10_000), (8, 100_000)):
        trace = module.get_function("ffma_ilp1").trace(1, 32 * warps, (OUT, 0.5, times), machine=MACHINE)
        _, instructions, seconds = measure(trace, DRIVERS["compiled"])
        rows.append(f"| {warps} warps, {times:,} times | {instructions:,} | {seconds / instructions * 1e9:.1f} |")
        print(rows[-1], flush=True)
    return rows


def on_sms(module: RawModule, sms: int, kernel: str, args: tuple[object, ...], times: int) -> float:
    """Nanoseconds per warp-instruction on so many SMs, all of them simulated, each with a block of eight warps."""
    machine = smsim.load_machine("h100").replace({"gpu.num_sms": sms})
    trace = module.get_function(kernel).trace(sms, 256, (*args, times // sms), sms=sms, machine=machine)
    seconds, _ = timed(lambda: smsim.simulate(trace, sms=sms, machine=machine))
    return seconds / int(count_instructions(trace).sum()) * 1e9


def with_sms(module: RawModule) -> list[str]:
    """The same with more SMs, and as many warp-instructions on all together."""
    rows = ["| ns per warp-instruction on SMs | " + " | ".join(ON_SMS) + " |", "|-:|" + "-:|" * len(ON_SMS)]
    for sms in (1, 4, 16, 64, 132):
        rows.append(f"| {sms} | " + " | ".join(f"{on_sms(module, sms, *case):.0f}" for case in ON_SMS.values()) + " |")
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    module = RawModule(code=SOURCE)
    measure(module.get_function("ffma_ilp1").trace(1, 32, (OUT, 0.5, 16), machine=MACHINE), DRIVERS["skipping"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tables = [rates(module), growth(module)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tables += [with_sms(module), main_job.rows(main_job.KERNELS)]
    memory = f"Memory at its peak, with one SM: {peak:.0f} MB, of which {before:.0f} MB stood before the first row."
    print(memory)
    if "--write" in sys.argv[1:]:
        head = (
            "# Performance\n\nWritten by `python -m benchmarks.engine --write`; what the columns mean stands there.\n"
        )
        host = f"One core of the machine it ran on; Python {sys.version.split()[0]}, Numba {numba.__version__}.\n"
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text("\n".join([head, host, *("\n".join(table) + "\n" for table in tables), memory, ""]))


if __name__ == "__main__":
    main()
