"""Memory spaces, widths, symbols, and accesses that a kernel must not make."""

import re

import numpy as np
import pytest

from isa.emulator.memory import FIRST_ADDRESS, PAGE_BYTES
from isa.errors import KernelError, LaunchError
from isa.trace.model import Space
from tests.cuda import run

SOURCE = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void narrow(const signed char *a, const unsigned char *b, const short *c, const unsigned short *d,
                                  int *out, signed char *bytes, short *shorts) {
    int t = threadIdx.x;
    out[t] = a[t] + b[t] * 1000 + c[t] * 3 + d[t];
    bytes[t] = a[t] + b[t]; shorts[t] = c[t] - d[t];
}
extern "C" __global__ void wide(const float4 *a, const double2 *b, const int2 *c, float4 *x, double2 *y, int2 *z) {
    int t = threadIdx.x; float4 v = a[t]; double2 w = b[t]; int2 u = c[t];
    x[t] = make_float4(v.w, v.z, v.y, v.x); y[t] = make_double2(w.y, w.x); z[t] = make_int2(u.y, u.x);
}
extern "C" __global__ void local_array(const int *order, int *out) {
    int a[32];
    for (int i = 0; i < 32; i++) a[i] = i * threadIdx.x;
    for (int i = 0; i < 31; i++) { int j = order[i]; int v = a[i]; a[i] = a[j]; a[j] = v; }
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += a[i] * (i + 1);
    out[threadIdx.x] = sum;
}
extern "C" __global__ void generic(int *x, int *y, int which) {
    __shared__ int s[32]; int a[8];
    for (int i = 0; i < 8; i++) a[i] = x[i] * 100;
    s[threadIdx.x] = x[threadIdx.x] * 10; __syncthreads();
    volatile int *p = which == 0 ? x : which == 1 ? s : a;
    y[threadIdx.x] = p[threadIdx.x & 7];
    y[32 + threadIdx.x] = __isGlobal((void *)p) + 2 * __isShared((void *)p) + 4 * __isLocal((void *)p);
    __syncthreads();
    atomicAdd((int *)p + 3, 1);
    y[64 + threadIdx.x] = p[3];
}
__constant__ float table[16] = {1, 2, 4, 8, 16};
__constant__ int offset_of = 5;
__device__ int counters[4] = {10, 20, 30, 40};
__device__ int *pointer = counters + 2;
__device__ float plain[8];
extern "C" __global__ void symbols(float *out) {
    int t = threadIdx.x;
    out[t] = table[t % 5] + offset_of + plain[t & 7];
    if (t == 0) { counters[1] += 7; *pointer += 3; }
}
struct Parameters { int a; float b; double c; char d; short e[3]; };
extern "C" __global__ void structure(Parameters p, double *out) { out[0] = p.a + p.b + p.c + p.d + p.e[2]; }
extern "C" __global__ void small(char a, short b, bool c, unsigned char d, long long e, float f, double g,
                                 double *out) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g;
}
extern "C" __global__ void read(const int *x, int *y, int i) { y[0] = x[i]; }
extern "C" __global__ void write_shared(int *x, int i) {
    __shared__ int s[16]; s[threadIdx.x & 15] = 1; s[i] = 2; __syncthreads(); x[0] = s[x[1]];
}
extern "C" __global__ void misaligned(const char *x, int *y) { y[threadIdx.x] = *(const int *)(x + threadIdx.x * 3); }
extern "C" __global__ void copy_in_background(const float4 *x, const int *y, float4 *out, int *sum) {
    __shared__ float4 s[64]; __shared__ int t[64];
    __pipeline_memcpy_async(s + threadIdx.x, x + threadIdx.x, 16);
    if (threadIdx.x < 48) __pipeline_memcpy_async(t + threadIdx.x, y + threadIdx.x, 4); else t[threadIdx.x] = -1;
    __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x]; sum[threadIdx.x] = t[63 - threadIdx.x];
}
extern "C" __global__ void two(int *a, int *b) { a[0] = 1; b[1] = 2; }
extern "C" __global__ void three(int *a, int *b, int *c) { a[0] = 1; b[1] = 2; c[2] = 3; }
extern "C" __global__ void either(int *a, int *b) { int *p = threadIdx.x % 2 ? b : a; p[threadIdx.x] = 1; }
"""


def test_narrow_widths() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-128, 128, 64).astype(np.int8), rng.integers(0, 256, 64).astype(np.uint8)
    c, d = rng.integers(-(2**15), 2**15, 64).astype(np.int16), rng.integers(0, 2**16, 64).astype(np.uint16)
    out, small, shorts = np.zeros(64, np.int32), np.zeros(64, np.int8), np.zeros(64, np.int16)
    run(SOURCE, "narrow", 1, 64, a, b, c, d, out, small, shorts)
    assert (out == a.astype(np.int32) + b.astype(np.int32) * 1000 + c.astype(np.int32) * 3 + d).all()
    assert (small == (a.astype(np.int32) + b).astype(np.int8)).all()
    assert (shorts == (c.astype(np.int32) - d).astype(np.int16)).all()


def test_wide_widths() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.random((32, 4), np.float32), rng.random((32, 2))
    c = rng.integers(0, 99, (32, 2)).astype(np.int32)
    x, y, z = np.zeros_like(a), np.zeros_like(b), np.zeros_like(c)
    trace = run(SOURCE, "wide", 1, 32, a, b, c, x, y, z)
    assert (x == a[:, ::-1]).all()
    assert (y == b[:, ::-1]).all()
    assert (z == c[:, ::-1]).all()
    assert set(trace.shapes["width"].tolist()) == {8, 16}


def test_local_memory_is_per_thread() -> None:
    rng = np.random.default_rng(7)
    order = rng.integers(0, 32, 32).astype(np.int32)
    out = np.zeros(128, np.int32)
    trace = run(SOURCE, "local_array", 1, 128, order, out)
    place = list(range(32))
    for i in range(31):
        place[i], place[order[i]] = place[order[i]], place[i]
    assert out.tolist() == [t * sum(v * (i + 1) for i, v in enumerate(place)) for t in range(128)]
    assert Space.LOCAL in trace.shapes["space"]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_generic_pointers(which: int) -> None:
    x, y = np.arange(1, 33, dtype=np.int32), np.zeros(96, np.int32)
    trace = run(SOURCE, "generic", 1, 32, x, y, which)
    factor = (1, 10, 100)[which]
    assert y[:32].tolist() == [(t % 8 + 1) * factor for t in range(32)]
    assert (y[32:64] == 1 << which).all()
    if which != 2:  # atomics on local memory are not defined
        assert y[64:].max() == 4 * factor + 32
    generic = [i for i, ins in enumerate(trace.program.instructions) if ins.opcode in ("LD", "ATOM")]
    assert generic
    assert (Space.GLOBAL, Space.SHARED, Space.LOCAL)[which] in trace.shapes["space"]


def test_module_variables() -> None:
    out = np.zeros(32, np.float32)
    counters = np.array([1, 2, 3, 4], np.int32)
    plain = np.arange(8, dtype=np.float32)
    run(SOURCE, "symbols", 1, 32, out, symbols={"counters": counters, "plain": plain})
    assert out.tolist() == [2.0 ** (t % 5) + 5 + t % 8 for t in range(32)]
    assert counters.tolist() == [1, 9, 6, 4]
    run(SOURCE, "symbols", 1, 32, out)
    assert out.tolist() == [2.0 ** (t % 5) + 5 for t in range(32)]
    with pytest.raises(LaunchError, match="no variable 'absent'"):
        run(SOURCE, "symbols", 1, 32, out, symbols={"absent": plain})
    with pytest.raises(LaunchError, match="variable plain takes a contiguous array of 32 bytes"):
        run(SOURCE, "symbols", 1, 32, out, symbols={"plain": counters})


def test_structures_by_value() -> None:
    kind = np.dtype([("a", "i4"), ("b", "f4"), ("c", "f8"), ("d", "i1"), ("e", "i2", 3)], align=True)
    value = np.zeros((), kind)
    value["a"], value["b"], value["c"], value["d"], value["e"] = 1, 0.5, 0.25, -3, (7, 8, 9)
    for passed in (value[()], value.tobytes()):
        out = np.zeros(1)
        run(SOURCE, "structure", 1, 1, passed, out)
        assert out[0] == 1 + 0.5 + 0.25 - 3 + 9
    with pytest.raises(LaunchError, match="argument 0: takes 24 bytes, got 3"):
        run(SOURCE, "structure", 1, 1, b"abc", np.zeros(1))


def test_small_scalars() -> None:
    out = np.zeros(7)
    run(SOURCE, "small", 1, 1, -3, -300, True, 200, -(2**40), 1.5, 0.1, out)
    assert out.tolist() == [-3, -300, 1, 200, -(2**40), 1.5, 0.1]


def test_same_array_twice_is_one_pointer() -> None:
    x = np.zeros(4, np.int32)
    run(SOURCE, "two", 1, 1, x, x)
    assert x.tolist() == [1, 2, 0, 0]
    run(SOURCE, "two", 1, 1, x, x[1:])
    assert x.tolist() == [1, 2, 2, 0]


def test_copies_to_shared_memory_in_the_background() -> None:
    x = np.random.default_rng(18).random((64, 4), np.float32)
    y = np.arange(64, dtype=np.int32)
    out, total = np.zeros_like(x), np.zeros(64, np.int32)
    run(SOURCE, "copy_in_background", 1, 64, x, y, out, total)
    assert (out == x[::-1]).all()
    assert total.tolist() == [63 - t if 63 - t < 48 else -1 for t in range(64)]


@pytest.mark.parametrize("index", [100, 101, 2**20, -1, -(2**29)])
def test_out_of_bounds(index: int) -> None:
    x, y = np.zeros(100, np.int32), np.zeros(1, np.int32)
    with pytest.raises(KernelError) as caught:
        run(SOURCE, "read", 1, 1, x, y, index)
    message = str(caught.value)
    assert re.match(r"read: at 0x[0-9a-f]{4} \(.*kernel\.cu:\d+\): LDG.*illegal address 0x7", message)
    assert re.search(r"bytes (past the end of|before) (argument \d|plain)", message)
    assert "block (0, 0, 0), thread (0, 0, 0)" in message


def test_out_of_bounds_tells_how_far() -> None:
    with pytest.raises(KernelError, match="8 bytes past the end of argument 0"):
        run(SOURCE, "read", 1, 1, np.zeros(100, np.int32), np.zeros(1, np.int32), 102)


def test_past_the_end_is_not_the_next_array() -> None:
    with pytest.raises(KernelError, match="0 bytes past the end of argument 0"):
        run(SOURCE, "read", 1, 1, np.zeros(128, np.int32), np.zeros(1, np.int32), 128)


def test_small_arrays_share_a_page_and_large_ones_have_their_own() -> None:
    large = np.zeros(PAGE_BYTES // 4 + 1, np.int32)
    trace = run(SOURCE, "three", 1, 1, np.zeros(300, np.int32), large, np.zeros(3, np.int32))
    assert (trace.allocations - [FIRST_ADDRESS, 0]).tolist()[-3:] == [[0, 1200], [PAGE_BYTES, large.nbytes], [1536, 12]]


def test_an_array_that_does_not_fit_begins_a_page() -> None:
    half = np.zeros(PAGE_BYTES // 8 + 1, np.int32)
    trace = run(SOURCE, "three", 1, 1, half, half.copy(), np.zeros(3, np.int32))
    behind = PAGE_BYTES + PAGE_BYTES // 2 + 512
    assert trace.allocations[-3:, 0].tolist() == [FIRST_ADDRESS + place for place in (0, PAGE_BYTES, behind)]


def test_lanes_in_several_arrays() -> None:
    a, b = np.zeros(128, np.int32), np.zeros(128, np.int32)
    trace = run(SOURCE, "either", 1, 32, a, b)
    stored = trace.shapes[trace.shapes["space"] == Space.GLOBAL][0]
    assert stored["offsets"].tolist() == [4 * lane + b.nbytes * (lane % 2) for lane in range(32)]
    assert trace.accesses["base"].tolist() == [FIRST_ADDRESS]
    assert np.flatnonzero(a + b).tolist() == list(range(32))


def test_shared_out_of_bounds() -> None:
    with pytest.raises(KernelError, match="byte 64 of the block's 64 bytes of shared memory"):
        run(SOURCE, "write_shared", 1, 32, np.zeros(2, np.int32), 16)


def test_misaligned() -> None:
    with pytest.raises(KernelError, match=r"misaligned address 0x7f0000000003: .* multiple of 4; .*thread \(1, 0, 0\)"):
        run(SOURCE, "misaligned", 1, 32, np.zeros(128, np.int8), np.zeros(32, np.int32))


def test_nothing_is_written_back_after_an_error() -> None:
    x = np.zeros(4, np.int32)
    with pytest.raises(KernelError):
        run(SOURCE, "two", 1, 1, x, np.zeros(1, np.int32))
    assert x.tolist() == [0, 0, 0, 0]
