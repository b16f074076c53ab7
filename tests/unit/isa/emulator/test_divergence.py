"""Threads of one warp that go different ways, and threads that wait for each other."""

import numpy as np
import pytest

from isa.trace.history import expand
from tests.cuda import run

SOURCE = r"""
extern "C" __global__ void nest(int *x) {
    int v = x[threadIdx.x];
    if (v & 1) {
        if (v & 2) { v = v * 3; if (v & 4) v += 100; else v -= 50; } else { v = v * 5; }
        v ^= 7;
    } else if (v & 2) {
        for (int i = 0; i < (v & 15); i++) { if (i == 9) break; if (i & 1) continue; v += i * v; }
    } else {
        do { v = v * 2 + 1; } while (v < 1000);
    }
    x[threadIdx.x] = v;
}
extern "C" __global__ void early_return(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    if (v < 10) { x[i] = -1; return; }
    for (int k = 0; k < v; k++) { if (k * k > 500) { x[i] = k; return; } }
    x[i] = v + 1000;
}
extern "C" __global__ void collatz(const unsigned *x, int *steps) {
    unsigned v = x[threadIdx.x + blockIdx.x * blockDim.x]; int n = 0;
    while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; n++; }
    steps[threadIdx.x + blockIdx.x * blockDim.x] = n;
}
extern "C" __global__ void choose(int *x, const int *y) {
    int v = x[threadIdx.x], r;
    switch (v) {
        case 0: r = y[0] * 9; break;
        case 1: r = y[1] + y[2];
        case 2: r = y[2] / (y[3] + 1); break;
        case 3: r = y[4] % (y[5] + 3); break;
        case 4: r = y[6] << 3; break;
        case 5: r = y[7] ^ 0x55; break;
        case 6: r = -y[8]; break;
        case 7: r = y[9] * y[9]; break;
        default: r = 12345;
    }
    x[threadIdx.x] = r;
}
__device__ __noinline__ void quicksort(int *a, int first, int last) {
    if (last - first < 2) return;
    int pivot = a[(first + last) >> 1], i = first, j = last - 1;
    while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i <= j) { int kept = a[i]; a[i++] = a[j]; a[j--] = kept; }
    }
    quicksort(a, first, j + 1); quicksort(a, i, last);
}
extern "C" __global__ void sort_rows(int *x) { quicksort(x + threadIdx.x * 16, 0, 16); }
__device__ __noinline__ int climb(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? climb(m - 1, 1) : climb(m - 1, climb(m, n - 1));
}
extern "C" __global__ void recurse_twice(int *x) { x[threadIdx.x] = climb(2, threadIdx.x % 3); }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recurse(int *x) { x[threadIdx.x] = fibonacci(x[threadIdx.x]); }

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void recurse_deeper(int *x) { x[threadIdx.x] = ackermann(threadIdx.x & 1, x[threadIdx.x]); }

typedef int (*Function)(int);
__device__ int triple(int a) { return a * 3; }
__device__ int add_nine(int a) { return a + 9; }
__device__ __noinline__ int flip(int a) { return a ^ 9; }
__device__ Function table[3] = {triple, add_nine, flip};
extern "C" __global__ void call_pointer(int *x) { x[threadIdx.x] = table[x[threadIdx.x] % 3](threadIdx.x); }

struct Shape { __device__ virtual int area(int k) const = 0; };
struct Square : Shape { int side; __device__ int area(int k) const override { return side * side + k; } };
struct Line : Shape { int length; __device__ int area(int k) const override { return -length * k; } };
extern "C" __global__ void call_virtual(int *x) {
    Square square; Line line; square.side = x[threadIdx.x]; line.length = x[threadIdx.x] + 1;
    Shape *shape = x[threadIdx.x] & 1 ? (Shape *)&square : (Shape *)&line;
    x[threadIdx.x] = shape->area(threadIdx.x);
}
__device__ int lock; __device__ int counter;
extern "C" __global__ void spin_lock(int *in_order) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            in_order[counter] = blockIdx.x * blockDim.x + threadIdx.x; counter++;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}
extern "C" __global__ void plain_spin_lock(int *total) {
    while (atomicCAS(&lock, 0, 1) != 0);
    *(volatile int *)total = *(volatile int *)total + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
extern "C" __global__ void producer_consumer(volatile int *flag, volatile int *data, int *out) {
    // The warp with the lower index waits for the one with the higher.
    if (threadIdx.x < 32) { while (flag[threadIdx.x] == 0); __threadfence(); out[threadIdx.x] = data[threadIdx.x] * 2; }
    else {
        int v = 0;
        for (int i = 0; i < 2000; i++) v += i ^ threadIdx.x;
        data[threadIdx.x - 32] = v; __threadfence(); flag[threadIdx.x - 32] = 1;
    }
}
extern "C" __global__ void lanes_wait(volatile int *turn, int *out) {
    // Every lane waits for the lane above it: only independent scheduling of threads gets through.
    if (threadIdx.x != 31) { while (turn[threadIdx.x + 1] == 0); }
    out[threadIdx.x] = 32 - threadIdx.x; __threadfence(); turn[threadIdx.x] = 1;
}
extern "C" __global__ void blocks_in_turn(volatile int *turn, int *out) {
    __shared__ int seen;
    if (threadIdx.x == 0) { while (*turn != gridDim.x - 1 - blockIdx.x); seen = *turn; }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence(); *turn = *turn + 1; }
}
"""


def nest(v: int) -> int:
    if v & 1:
        if v & 2:
            v *= 3
            v += 100 if v & 4 else -50
        else:
            v *= 5
        return v ^ 7
    if v & 2:
        for i in range(v & 15):
            if i == 9:
                break
            if not i & 1:
                v += i * v
        return (v + 2**31) % 2**32 - 2**31
    v = v * 2 + 1
    while v < 1000:
        v = v * 2 + 1
    return v


def test_nested_branches_and_loops() -> None:
    x = np.arange(256, dtype=np.int32)
    expected = [loop_nest(v) for v in range(256)]
    run(SOURCE, "nest", 1, 256, x)
    assert x.tolist() == expected


def loop_nest(v: int) -> int:
    """``nest`` with the loop bound read anew in every iteration, as C does."""
    if v & 1 or not v & 2:
        return nest(v)
    i = 0
    while i < (v & 15):
        if i == 9:
            break
        if not i & 1:
            v = (v + i * v + 2**31) % 2**32 - 2**31
        i += 1
    return v


def test_return_from_the_middle() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 60, 200).astype(np.int32)
    expected = [-1 if v < 10 else next((k for k in range(v) if k * k > 500), v + 1000) for v in x.tolist()]
    run(SOURCE, "early_return", 2, 128, x, 200)
    assert x.tolist() == expected


def test_loops_of_different_length() -> None:
    x = np.arange(1, 257, dtype=np.uint32)
    steps = np.zeros(256, np.int32)
    run(SOURCE, "collatz", 2, 128, x, steps)

    def count(v: int) -> int:
        n = 0
        while v != 1:
            v, n = (3 * v + 1 if v & 1 else v // 2), n + 1
        return n

    assert steps.tolist() == [count(v) for v in range(1, 257)]


def test_switch() -> None:
    y = [5, 6, 7, 3, 40, 9, 2, 8, 11, 13]
    x = (np.arange(64) % 9).astype(np.int32)
    cases = [45, 1, 1, 4, 16, 93, -11, 169, 12345]
    run(SOURCE, "choose", 1, 64, x, np.array(y, np.int32))
    assert x.tolist() == [cases[v % 9] for v in range(64)]


def test_recursion_of_different_depth() -> None:
    x = (np.arange(64) % 12).astype(np.int32)
    run(SOURCE, "recurse", 1, 64, x)
    numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    assert x.tolist() == [numbers[v % 12] for v in range(64)]
    x = np.arange(32, dtype=np.int32)
    run(SOURCE, "recurse_deeper", 1, 32, x)
    assert x.tolist() == [v + 2 if v & 1 else v + 1 for v in range(32)]


def test_recursion_that_parts_lanes_at_every_depth() -> None:
    x = np.random.default_rng(3).integers(-1000, 1000, (128, 16)).astype(np.int32)
    expected = np.sort(x, axis=1)
    run(SOURCE, "sort_rows", 1, 128, x)
    assert (x == expected).all()


def test_instructions_of_a_recursion_as_an_h100_counts_them() -> None:
    x = np.zeros(32, np.int32)
    trace = run(SOURCE, "recurse_twice", 1, 32, x)
    assert x.tolist() == [2 * (t % 3) + 3 for t in range(32)]
    indices, _ = expand(trace, 0)
    assert len(indices) == 850  # with 29 of 44 BSYNCs twice, on barriers that the function called has restored


def test_calls_through_pointers() -> None:
    x = np.arange(64, dtype=np.int32)
    trace = run(SOURCE, "call_pointer", 1, 64, x)
    assert x.tolist() == [(t * 3, t + 9, t ^ 9)[t % 3] for t in range(64)]
    indices, masks = expand(trace, 0)
    calls = [
        mask for index, mask in zip(indices, masks, strict=True) if trace.program.instructions[index].opcode == "CALL"
    ]
    assert calls == [0xFFFFFFFF, 0xB6DB6DB6, 0x24924924]  # once for each target, by the lanes that are left


def test_virtual_functions() -> None:
    x = np.arange(64, dtype=np.int32)
    run(SOURCE, "call_virtual", 1, 64, x)
    assert x.tolist() == [t * t + t if t & 1 else -(t + 1) * t for t in range(64)]


def test_spin_lock_admits_every_thread_once() -> None:
    order = np.zeros(256, np.int32)
    counter = np.zeros(1, np.int32)
    run(SOURCE, "spin_lock", 4, 64, order, symbols={"counter": counter})
    assert counter[0] == 256
    assert sorted(order.tolist()) == list(range(256))


def test_spin_lock_whose_holder_waits_to_reconverge() -> None:
    total = np.zeros(1, np.int32)
    run(SOURCE, "plain_spin_lock", 2, 64, total)
    assert total[0] == 128


def test_warp_waits_for_warp() -> None:
    out = np.zeros(32, np.int32)
    run(SOURCE, "producer_consumer", 1, 64, np.zeros(32, np.int32), np.zeros(32, np.int32), out)
    assert out.tolist() == [2 * sum(i ^ t for i in range(2000)) for t in range(32, 64)]


def test_lane_waits_for_lane() -> None:
    out = np.zeros(32, np.int32)
    run(SOURCE, "lanes_wait", 1, 32, np.zeros(32, np.int32), out)
    assert out.tolist() == list(range(32, 0, -1))


def test_block_waits_for_block() -> None:
    out = np.zeros(4 * 64, np.int32)
    run(SOURCE, "blocks_in_turn", 4, 64, np.zeros(1, np.int32), out)
    assert out.reshape(4, 64).tolist() == [[3 - b] * 64 for b in range(4)]


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 100])
def test_partial_warps(threads: int) -> None:
    x = np.arange(128, dtype=np.int32)
    trace = run(SOURCE, "early_return", 1, threads, x, 1000)
    assert (x[threads:] == np.arange(threads, 128)).all()
    assert (x[: min(threads, 10)] == -1).all()
    _, masks = expand(trace, len(trace.warps) - 1)
    assert masks[0] == (1 << (threads - 1) % 32 + 1) - 1


def test_diverged_warp_reconverges() -> None:
    trace = run(SOURCE, "nest", 1, 32, np.arange(32, dtype=np.int32))
    indices, masks = expand(trace, 0)
    program = trace.program
    stores = [mask for index, mask in zip(indices, masks, strict=True) if program.instructions[index].opcode == "STG"]
    assert stores == [0xFFFFFFFF]
