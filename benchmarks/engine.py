"""How fast the drivers are, in SM cycles and warp-instructions per second: ``python -m benchmarks.engine``."""

import time

import numpy as np

import smsim
from smsim.engines import ENGINES
from smsim.module import RawModule

SOURCE = """
extern "C" __global__ void ffma(float *out, float a, int n) {
    float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    #pragma unroll 4
    for (int i = 0; i < n; i++) { x0 = x0 * a + x1; x1 = x1 * a + x2; x2 = x2 * a + x3; x3 = x3 * a + x0; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
}
extern "C" __global__ void mufu(float *out, float a, int n) {
    float x = threadIdx.x + a;
    for (int i = 0; i < n; i++) x = rsqrtf(x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
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
extern "C" __global__ void dot(float *out, const float *in, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i] * in[i];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
"""
# All blocks on the one SM that is simulated.
MACHINE = smsim.load_machine("h100").replace({"gpu.num_sms": 1})


def measure(title: str, trace: smsim.Trace, engine: str) -> None:
    """Print one row: the better of two runs, the first of which may compile the rules."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        result = smsim.simulate(trace, MACHINE, engine=engine)
        best = min(best, time.process_time() - start)
    print(
        f"{title:24} {engine:8} {result.cycles:>9,} cycles {result.instructions:>9,} instructions {best:7.3f} s "
        f"{result.cycles / best:>10,.0f} cycles/s {result.instructions / best:>10,.0f} instructions/s",
        flush=True,
    )


def main() -> None:
    module = RawModule(code=SOURCE)
    out, values = np.zeros(2048, np.float32), np.ones(1 << 16, np.float32)
    launches: list[tuple[str, str, int, int, tuple[object, ...]]] = [
        ("FFMA loop, 1 warp", "ffma", 1, 32, (out, 0.5, 1000)),
        ("FFMA loop, 4 warps", "ffma", 1, 128, (out, 0.5, 1000)),
        ("FFMA loop, 64 warps", "ffma", 2, 1024, (out, 0.5, 250)),
        ("MUFU loop, 16 warps", "mufu", 1, 512, (out, 0.5, 200)),
        ("shared memory, 16 warps", "shared_memory", 1, 512, (out, 0.5, 50)),
        ("dot product, 32 warps", "dot", 4, 256, (out, values, values.size)),
    ]
    for title, name, grid, block, args in launches:
        trace = module.get_function(name).trace(grid, block, args, machine=MACHINE)
        for engine in ENGINES:
            if engine != "auto":
                measure(title, trace, engine)


if __name__ == "__main__":
    main()
