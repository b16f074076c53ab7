"""Threads of a block that meet at barriers: reductions, scans, sorts, BAR.RED, named barriers, deadlock."""

import numpy as np
import pytest

from isa.errors import KernelError
from isa.trace.model import Space
from tests.cuda import run

SOURCE = r"""
extern "C" __global__ void reduce(const float *x, float *out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x; float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    s[t] = sum; __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void scan(int *x, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x; s[t] = x[t]; __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int v = t >= d ? s[t - d] : 0; __syncthreads();
        s[t] += v; __syncthreads();
    }
    x[t] = s[t];
}
extern "C" __global__ void bitonic(int *x) {
    __shared__ int s[512];
    int t = threadIdx.x; s[t] = x[blockIdx.x * 512 + t]; __syncthreads();
    for (int k = 2; k <= 512; k *= 2) for (int j = k / 2; j > 0; j /= 2) {
        int o = t ^ j;
        if (o > t) {
            bool up = (t & k) == 0;
            if ((s[t] > s[o]) == up) { int v = s[t]; s[t] = s[o]; s[o] = v; }
        }
        __syncthreads();
    }
    x[blockIdx.x * 512 + t] = s[t];
}
extern "C" __global__ void votes(const int *x, int *out) {
    int v = x[threadIdx.x + blockIdx.x * blockDim.x];
    int *o = out + (threadIdx.x + blockIdx.x * blockDim.x) * 3;
    o[0] = __syncthreads_count(v > 3); o[1] = __syncthreads_or(v == 7); o[2] = __syncthreads_and(v < 9);
}
extern "C" __global__ void early_exit(int *x, int n) {
    __shared__ int s[128];
    if (threadIdx.x >= n) return;
    s[threadIdx.x] = x[threadIdx.x]; __syncthreads();
    x[threadIdx.x] = s[n - 1 - threadIdx.x];
}
extern "C" __global__ void both_sides(int *x) {
    __shared__ int s[64];
    if (threadIdx.x & 1) { s[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }
    else { s[threadIdx.x] = 2; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }
}
extern "C" __global__ void named(int *x) {
    __shared__ int s[128];
    int pair = threadIdx.x / 64;
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync %0, 64;" :: "r"(pair + 1) : "memory");
    x[threadIdx.x] = s[threadIdx.x ^ 32];
}
extern "C" __global__ void counted(int *x, int threads) {
    __shared__ int s[128];
    int part = threadIdx.x / threads;
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync %0, %1;" :: "r"(part + 1), "r"(threads) : "memory");
    x[threadIdx.x] = s[threadIdx.x ^ 32];
}
extern "C" __global__ void pipeline(int *x) {
    __shared__ int s[32];
    if (threadIdx.x < 32) { s[threadIdx.x] = threadIdx.x * 3; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
    else { asm volatile("bar.sync 1, 64;" ::: "memory"); x[threadIdx.x - 32] = s[threadIdx.x - 32]; }
}
extern "C" __global__ void missing(int *x) {
    if (threadIdx.x < 40) {
        while (true) { __syncthreads(); if (x[0] == 0) break; }
        asm volatile("bar.sync 2, 128;" ::: "memory");
    }
    x[threadIdx.x] = 1;
}
"""


def test_reduction() -> None:
    x = np.arange(5000, dtype=np.float32)
    out = np.zeros(4, np.float32)
    run(SOURCE, "reduce", 4, 256, x, out, 5000)
    assert out.sum() == x.sum()


@pytest.mark.parametrize("n", [64, 100, 1024])
def test_scan_in_dynamic_shared_memory(n: int) -> None:
    x = np.random.default_rng(2).integers(-50, 50, n).astype(np.int32)
    expected = np.cumsum(x)
    run(SOURCE, "scan", 1, n, x, n, shared=4 * n)
    assert (x == expected).all()


def test_bitonic_sort() -> None:
    x = np.random.default_rng(3).integers(-1000, 1000, (3, 512)).astype(np.int32)
    expected = np.sort(x, axis=1)
    run(SOURCE, "bitonic", 3, 512, x)
    assert (x == expected).all()


def test_barrier_reductions() -> None:
    x = np.random.default_rng(4).integers(0, 9, (3, 96)).astype(np.int32)
    x[1] = 7
    x[2, 50] = 9
    out = np.zeros((3, 96, 3), np.int32)
    run(SOURCE, "votes", 3, 96, x, out)
    for b in range(3):
        count, any_seven, all_small = (x[b] > 3).sum(), (x[b] == 7).any(), (x[b] < 9).all()
        assert (out[b, :, 0] == count).all()
        assert ((out[b, :, 1] != 0) == any_seven).all()
        assert ((out[b, :, 2] != 0) == all_small).all()


@pytest.mark.parametrize("n", [1, 33, 64, 100])
def test_barrier_does_not_wait_for_exited_threads(n: int) -> None:
    x = np.arange(128, dtype=np.int32)
    run(SOURCE, "early_exit", 1, 128, x, n)
    assert x[:n].tolist() == list(range(n - 1, -1, -1))


def test_barrier_counts_threads_of_both_sides_of_a_branch() -> None:
    x = np.zeros(64, np.int32)
    run(SOURCE, "both_sides", 1, 64, x)
    assert x.tolist() == [1, 2] * 32


def test_named_barriers() -> None:
    x = np.zeros(128, np.int32)
    trace = run(SOURCE, "named", 1, 128, x)
    assert x.tolist() == [t ^ 32 for t in range(128)]
    barriers = trace.accesses[trace.shapes["space"][trace.accesses["shape"]] == Space.BARRIER]
    assert sorted(barriers["base"].tolist()) == [2 << 16 | 1] * 2 + [2 << 16 | 2] * 2


def test_number_and_count_from_one_register() -> None:
    x = np.zeros(128, np.int32)
    trace = run(SOURCE, "counted", 1, 128, x, np.int32(64))
    assert x.tolist() == [t ^ 32 for t in range(128)]
    barriers = trace.accesses[trace.shapes["space"][trace.accesses["shape"]] == Space.BARRIER]
    assert sorted(barriers["base"].tolist()) == [2 << 16 | 1] * 2 + [2 << 16 | 2] * 2


def test_arrive_does_not_wait() -> None:
    x = np.zeros(32, np.int32)
    run(SOURCE, "pipeline", 1, 64, x)
    assert x.tolist() == [3 * t for t in range(32)]


def test_deadlock_names_the_barrier_and_the_line() -> None:
    with pytest.raises(KernelError, match=r"missing: deadlock") as caught:
        run(SOURCE, "missing", 1, 64, np.zeros(64, np.int32))
    assert "wait for barrier 2" in str(caught.value)
    assert "kernel.cu:" in str(caught.value)
