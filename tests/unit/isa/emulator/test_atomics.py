"""Atomic operations of every type, in global, shared and generic memory."""

import numpy as np
import pytest

from tests.cuda import run

SOURCE = r"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define KERNELS(suffix, T, PLACE)                                                                     \
extern "C" __global__ void all_##suffix(T *slots, const T *x, T *old) {                              \
    PLACE(T)                                                                                          \
    T v = x[threadIdx.x];                                                                             \
    old[threadIdx.x] = atomicAdd(p + 0, v); atomicMin(p + 1, v); atomicMax(p + 2, v);                 \
    atomicAnd(p + 3, v); atomicOr(p + 4, v); atomicXor(p + 5, v); atomicExch(p + 6, (T)7);            \
    atomicCAS(p + 7, (T)0, v);                                                                        \
    atomicExch(p + 8 + threadIdx.x, v); atomicCAS(p + 8 + threadIdx.x, v, v + 1);                     \
    FINISH(T)                                                                                         \
}
#define GLOBAL(T) T *p = slots;
#define SHARED(T) __shared__ T p[8 + 64]; p[threadIdx.x] = slots[threadIdx.x];                        \
    if (threadIdx.x < 8) p[64 + threadIdx.x] = slots[64 + threadIdx.x]; __syncthreads();
#define FINISH(T)
KERNELS(int, int, GLOBAL)
KERNELS(unsigned, unsigned, GLOBAL)
KERNELS(ull, unsigned long long, GLOBAL)
#undef FINISH
#define FINISH(T) __syncthreads(); slots[threadIdx.x] = p[threadIdx.x];                               \
    if (threadIdx.x < 8) slots[64 + threadIdx.x] = p[64 + threadIdx.x];
KERNELS(shared_int, int, SHARED)
KERNELS(shared_unsigned, unsigned, SHARED)
KERNELS(shared_ull, unsigned long long, SHARED)

extern "C" __global__ void wrap(unsigned *slots, unsigned *old) {
    old[threadIdx.x] = atomicInc(slots, 20); old[32 + threadIdx.x] = atomicDec(slots + 1, 9);
}
extern "C" __global__ void floats(float *f, double *d, __half2 *h, __half *h1, __nv_bfloat162 *b, int shared) {
    __shared__ float sf; __shared__ double sd; __shared__ __half2 sh; __shared__ __nv_bfloat162 sb;
    float v = f[threadIdx.x + 1]; double w = d[threadIdx.x + 1];
    __half2 u = h[threadIdx.x + 1]; __nv_bfloat162 s = b[threadIdx.x + 1];
    if (threadIdx.x == 0) { sf = f[0]; sd = d[0]; sh = h[0]; sb = b[0]; }
    __syncthreads();
    atomicAdd(shared ? &sf : f, v); atomicAdd(shared ? &sd : d, w); atomicAdd(shared ? &sh : h, u);
    atomicAdd(shared ? &sb : b, s);
    if (!shared) atomicAdd(h1, __half(1));
    __syncthreads();
    if (shared && threadIdx.x == 0) { f[0] = sf; d[0] = sd; h[0] = sh; b[0] = sb; }
}
extern "C" __global__ void vectors(const float4 *x, float2 *pair, float4 *quad, float4 *old) {
    float4 v = x[threadIdx.x];
    atomicAdd(pair, make_float2(v.x, v.y)); old[threadIdx.x] = atomicAdd(quad, v);
}
extern "C" __global__ void histogram(const unsigned char *data, int n, int *bins) {
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[data[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}
__device__ float atomic_max(float *p, float v) {
    int old = *(int *)p, seen;
    do {
        seen = old; old = atomicCAS((int *)p, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (seen != old);
    return __int_as_float(old);
}
extern "C" __global__ void cas_loop(const float *x, float *out) {
    __shared__ float s;
    if (threadIdx.x == 0) s = -1e30f;
    __syncthreads();
    atomic_max(&s, x[blockIdx.x * blockDim.x + threadIdx.x]); __syncthreads();
    if (threadIdx.x == 0) atomic_max(out, s);
}
extern "C" __global__ void order(int *counter, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1 + (threadIdx.x == 5));
}
"""


@pytest.mark.parametrize("shared", ["", "shared_"])
@pytest.mark.parametrize(("name", "dtype"), [("int", np.int32), ("unsigned", np.uint32), ("ull", np.uint64)])
def test_integer_operations(name: str, dtype: type, shared: str) -> None:
    rng = np.random.default_rng(15)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, 64, dtype, endpoint=True)
    slots = rng.integers(info.min, info.max, 72, dtype, endpoint=True)
    slots[7] = 0
    before, old = slots.copy(), np.zeros(64, dtype)
    run(SOURCE, f"all_{shared}{name}", 1, 64, slots, x, old)
    assert slots[:1] == before[:1] + x.sum(dtype=dtype)
    assert slots[1] == min(before[1], x.min())
    assert slots[2] == max(before[2], x.max())
    assert slots[3] == before[3] & np.bitwise_and.reduce(x)
    assert slots[4] == before[4] | np.bitwise_or.reduce(x)
    assert slots[5] == before[5] ^ np.bitwise_xor.reduce(x)
    assert slots[6] == 7
    assert slots[7] in x
    assert (slots[8:] == x + dtype(1)).all()
    # Every thread saw the sum of those before it, in some order: sorted by that order, they add up.
    assert set((old + x).tolist()) - set(old.tolist()) == {int(slots[0])}


def test_wrapping_counters() -> None:
    slots, old = np.array([15, 3], np.uint32), np.zeros(64, np.uint32)
    run(SOURCE, "wrap", 1, 32, slots, old)
    up, down = [15], [3]
    for _ in range(32):
        up.append(0 if up[-1] >= 20 else up[-1] + 1)
        down.append(9 if down[-1] == 0 or down[-1] > 9 else down[-1] - 1)
    assert sorted(old[:32].tolist()) == sorted(up[:32])
    assert sorted(old[32:].tolist()) == sorted(down[:32])
    assert slots.tolist() == [up[32], down[32]]


@pytest.mark.parametrize("shared", [0, 1])
def test_floating_point_sums(shared: int) -> None:
    f = np.arange(65, dtype=np.float32)
    d = np.arange(65) / 4
    h = np.ones((65, 2), np.float16)
    h[:, 1] = 0.5
    h1 = np.zeros(2, np.float16)
    # BF16 1.0 and 2.0 as bit patterns.
    b = np.tile(np.array([0x3F80, 0x4000], np.uint16), (65, 1))
    run(SOURCE, "floats", 1, 64, f, d, h, h1, b, shared)
    assert f[0] == np.arange(65).sum()
    assert d[0] == np.arange(65).sum() / 4
    assert h[0].tolist() == [65, 32.5]
    assert h1[0] == (0 if shared else 64)
    assert (b[0].astype(np.uint32) << 16).view(np.float32).tolist() == [65, 130]


def test_vector_sums() -> None:
    x = np.arange(128, dtype=np.float32).reshape(32, 4)
    pair, quad, old = np.zeros(2, np.float32), np.zeros(4, np.float32), np.zeros((32, 4), np.float32)
    run(SOURCE, "vectors", 1, 32, x, pair, quad, old)
    assert quad.tolist() == x.sum(axis=0).tolist()
    assert pair.tolist() == quad[:2].tolist()
    assert old[0].tolist() == [0, 0, 0, 0]
    assert old[31].tolist() == x[:31].sum(axis=0).tolist()


def test_subnormals_are_flushed_in_global_memory() -> None:
    f = np.full(65, np.float32(1e-40))
    d, h, b = np.zeros(65), np.zeros((65, 2), np.float16), np.zeros((65, 2), np.uint16)
    run(SOURCE, "floats", 1, 64, f, d, h, np.zeros(2, np.float16), b, 0)
    assert f[0] == 0


def test_histogram() -> None:
    data = np.random.default_rng(16).integers(0, 256, 5000).astype(np.uint8)
    bins = np.zeros(64, np.int32)
    run(SOURCE, "histogram", 3, 128, data, 5000, bins)
    assert bins.tolist() == np.bincount(data & 63, minlength=64).tolist()


def test_compare_and_swap_loop() -> None:
    x = np.random.default_rng(17).normal(size=512).astype(np.float32)
    out = np.full(1, -np.inf, np.float32)
    run(SOURCE, "cas_loop", 4, 128, x, out)
    assert out[0] == x.max()


def test_lanes_take_their_turn_in_ascending_order() -> None:
    out = np.zeros(64, np.int32)
    run(SOURCE, "order", 1, 64, np.zeros(1, np.int32), out)
    step = 1 + (np.arange(64) == 5)
    assert out.tolist() == (np.cumsum(step) - step).tolist()
