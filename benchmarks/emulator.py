"""How fast the emulator is, in warp-instructions per second: ``python -m benchmarks.emulator``."""

import numpy as np

from benchmarks.timing import timed
from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.module import load_source
from isa.trace.history import count_instructions

SOURCE = """
extern "C" __global__ void ffma(float *out, float a, int n) {
    float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    #pragma unroll 4
    for (int i = 0; i < n; i++) { x0 = x0 * a + x1; x1 = x1 * a + x2; x2 = x2 * a + x3; x3 = x3 * a + x0; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
}
extern "C" __global__ void copy(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2.0f;
}
extern "C" __global__ void diverge(int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < n + t % 37; i++) { if (x & 1) x = x * 3 + 1; else x = x / 2 + i; }
    out[t] = x;
}
"""


def measure(name: str, grid: int, block: int, args: list[object]) -> tuple[int, float]:
    """Warp-instructions and CPU seconds of one launch, the best of a few; the first may also fill Numba's cache."""
    program = load_source(SOURCE).program(name)
    seconds, trace = timed(lambda: emulate(program, LaunchShape((grid, 1, 1), (block, 1, 1)), args), 4)
    return int(count_instructions(trace).sum()), seconds


def main() -> None:
    large, small = np.zeros(1 << 20, np.float32), np.zeros(1 << 15, np.float32)
    cases: list[tuple[str, str, int, int, list[object]]] = [
        ("FFMA loop, 64 warps", "ffma", 8, 256, [np.zeros(2048, np.float32), 0.5, 4000]),
        ("FFMA loop, 1 warp", "ffma", 1, 32, [np.zeros(32, np.float32), 0.5, 4000]),
        ("grid-stride copy, 64 warps", "copy", 8, 256, [large, large.copy(), large.size]),
        ("grid-stride copy, 1 warp", "copy", 1, 32, [small, small.copy(), small.size]),
        ("diverging loop, 64 warps", "diverge", 8, 256, [np.zeros(2048, np.int32), 50]),
        ("diverging loop, 1 warp", "diverge", 1, 32, [np.zeros(32, np.int32), 50]),
    ]
    for title, name, grid, block, args in cases:
        instructions, seconds = measure(name, grid, block, args)
        rate = instructions / seconds / 1e6
        print(f"{title:28} {instructions:10,} warp-instructions  {seconds:7.3f} s  {rate:8.3f} M/s")


if __name__ == "__main__":
    main()
