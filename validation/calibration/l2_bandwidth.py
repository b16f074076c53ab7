"""Bandwidth between one SM and L2: ``python -m validation.calibration.l2_bandwidth OUT.json`` on the GPU machine.

One block of 1024 threads reads, or writes, a buffer that L2 holds and L1 does not (a launch before it touched the
buffer; L1 starts every launch empty). Cycles by ``clock64`` for several sizes; the slope is what a sector costs.
Needs CuPy and NumPy only.
"""

import json
import sys
from pathlib import Path

SOURCE = r"""
template <typename T, bool WRITES>
__device__ void move(T* data, int per_thread, long long* cycles, float* sink) {
    __syncthreads();
    long long start = clock64();
    float sum = 0.0f;
    #pragma unroll 8
    for (int i = 0; i < per_thread; i++) {
        T* place = data + i * blockDim.x + threadIdx.x;
        if (WRITES) { T value = {}; *reinterpret_cast<float*>(&value) = i; *place = value; }
        else { T value = __ldcg(place); sum += *reinterpret_cast<float*>(&value); }
    }
    if (!WRITES && sum == -1.0f) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
}
extern "C" __global__ void read32(float* d, int n, long long* c, float* s) { move<float, false>(d, n, c, s); }
extern "C" __global__ void read128(float4* d, int n, long long* c, float* s) { move<float4, false>(d, n, c, s); }
extern "C" __global__ void write32(float* d, int n, long long* c, float* s) { move<float, true>(d, n, c, s); }
extern "C" __global__ void write128(float4* d, int n, long long* c, float* s) { move<float4, true>(d, n, c, s); }
"""
BYTES = {"read32": 4, "read128": 16, "write32": 4, "write128": 16}
THREADS = 1024
KILOBYTES = (128, 256, 512, 1024)
REPEATS = 9
SECTOR_BYTES = 32


def measure() -> dict[str, object]:
    """Median cycles by kernel and size, and the slope in cycles per sector."""
    import cupy  # noqa: PLC0415  (only on the GPU machine)
    import numpy as np  # noqa: PLC0415

    module = cupy.RawModule(code=SOURCE, options=("--std=c++17",))
    data = cupy.zeros(max(KILOBYTES) * 256, cupy.float32)
    cycles, sink = cupy.zeros(1, cupy.int64), cupy.zeros(1, cupy.float32)
    answer: dict[str, object] = {"gpu": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}
    for name, width in BYTES.items():
        kernel = module.get_function(name)
        medians = []
        for kilobytes in KILOBYTES:
            per_thread = kilobytes * 1024 // (THREADS * width)
            times = []
            for _ in range(REPEATS):
                kernel((1,), (THREADS,), (data, np.int32(per_thread), cycles, sink))
                times.append(int(cycles[0]))
            medians.append(float(np.median(times[1:])))
        sectors = [kilobytes * 1024 / SECTOR_BYTES for kilobytes in KILOBYTES]
        slope = float(np.polyfit(sectors, medians, 1)[0])
        answer[name] = {"kilobytes": KILOBYTES, "cycles": medians, "cycles_per_sector": slope}
    return answer


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
