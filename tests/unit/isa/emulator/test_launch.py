"""Arguments, launch limits, chosen blocks, endless loops, traps."""

from typing import Any

import numpy as np
import pytest

from isa.errors import KernelError, LaunchError
from isa.trace.history import count_instructions
from tests.cuda import run

SOURCE = r"""
#include <cassert>
extern "C" __global__ void fill(int *x, int value, float f) { x[blockIdx.x * blockDim.x + threadIdx.x] = value + f; }
extern "C" __global__ void nothing() {}
extern "C" __global__ void __launch_bounds__(128) bounded(int *x) { x[threadIdx.x] = 1; }
extern "C" __global__ void endless(volatile int *x) { while (x[0] == 0) x[1] += 1; }
extern "C" __global__ void waiting(volatile int *x) { if (threadIdx.x < 40) while (x[0] == 0); x[1] = 1; }
extern "C" __global__ void locked(int *x) { while (atomicCAS(x, 0, 1) != 0); x[1] += 1; }
extern "C" __global__ void patient(int *x) { long long t = clock64(); while (clock64() - t < 200000); x[0] = 1; }
extern "C" __global__ void trapped(int *x) { if (x[threadIdx.x] < 0) __trap(); x[threadIdx.x] = 1; }
extern "C" __global__ void asserting(int *x) { assert(x[threadIdx.x] >= 0); x[threadIdx.x] = 1; }
extern "C" __global__ void shared_memory(int *x) {
    extern __shared__ int s[]; __shared__ int t[1024];
    s[threadIdx.x] = x[threadIdx.x]; t[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = s[0] + t[1];
}
"""


def fill(*args: Any, grid: int = 1, **options: Any) -> None:
    run(SOURCE, "fill", grid, 32, *args, **options)


def test_arguments() -> None:
    x = np.zeros(32, np.int32)
    for value, number in ((3, 0.5), (np.int32(3), np.float32(0.5)), (np.uint32(3), 0.5)):
        x[:] = 0
        fill(x, value, number)
        assert (x == 3).all()
    run(SOURCE, "nothing", 1, 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1, 2), r"fill: takes 3 arguments \(bytes each: 8, 4, 4\), got 2"),
        ((np.zeros(32, np.int32), np.int64(1), 1.0), r"fill: argument 1: takes 4 bytes, got 8 \(int64\)"),
        ((np.zeros(32, np.int32), 2**40, 1.0), "argument 1: 1099511627776 does not fit in 4 bytes"),
        ((np.zeros(32, np.int32), np.zeros(2), 1.0), "argument 1: takes 4 bytes, got an array, which is a pointer"),
        ((np.zeros(64, np.int32)[::2], 1, 1.0), "argument 0: the array is not contiguous"),
        ((np.zeros(32, object), 1, 1.0), "argument 0: an array of Python objects"),
        ((np.zeros(32, np.int32), "one", 1.0), "argument 1: cannot pass a str"),
        (([1, 2, 3], 1, 1.0), "argument 0: cannot pass a list"),
    ],
)
def test_wrong_arguments(args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        fill(*args)


def test_read_only_array_that_the_kernel_writes() -> None:
    x = np.zeros(32, np.int32)
    x.setflags(write=False)
    with pytest.raises(LaunchError, match="argument 0, a read-only array"):
        fill(x, 1, 1.0)
    fill(x, 0, 0.0)


def test_empty_array_is_a_null_pointer() -> None:
    with pytest.raises(KernelError, match="illegal address 0x0 "):
        fill(np.zeros(0, np.int32), 1, 1.0)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "message"),
    [
        (1, 1025, 0, "block.x is 1025; it must be 1 to 1024"),
        (1, (32, 33), 0, "1056 threads per block; at most 1024"),
        (1, (1, 1, 65), 0, "block.z is 65"),
        (0, 32, 0, "grid.x is 0"),
        ((1, 65536), 32, 0, "grid.y is 65536"),
        (
            1,
            32,
            227 * 1024,
            r"236544 bytes of shared memory per block \(4096 static \+ 232448 dynamic\); at most 232448",
        ),
        (1, 32, -4, "-4 bytes of dynamic shared memory"),
    ],
)
def test_launch_limits(grid: Any, block: Any, shared: int, message: str) -> None:
    with pytest.raises(LaunchError, match=f"shared_memory: {message}"):
        run(SOURCE, "shared_memory", grid, block, np.zeros(1024, np.int32), shared=shared)


def test_all_of_shared_memory() -> None:
    x = np.full(1024, 5, np.int32)
    run(SOURCE, "shared_memory", 1, 1024, x, shared=223 * 1024)
    assert (x == 6).all()


def test_launch_bounds() -> None:
    with pytest.raises(LaunchError, match="129 threads per block, but __launch_bounds__ promises at most 128"):
        run(SOURCE, "bounded", 1, 129, np.zeros(129, np.int32))


def test_chosen_blocks() -> None:
    x = np.zeros(8 * 32, np.int32)
    trace = run(SOURCE, "fill", 8, 32, x, 9, 0.0, blocks=[6, 1, 6])
    assert x.reshape(8, 32)[:, 0].tolist() == [0, 9, 0, 0, 0, 0, 9, 0]
    assert trace.blocks.tolist() == [1, 6]
    assert len(trace.warps) == 2
    with pytest.raises(LaunchError, match="the grid has blocks 0 to 7"):
        run(SOURCE, "fill", 8, 32, x, 9, 0.0, blocks=[8])
    with pytest.raises(LaunchError, match="no blocks to run"):
        run(SOURCE, "fill", 8, 32, x, 9, 0.0, blocks=[])


def test_more_blocks_than_fit_in_a_batch() -> None:
    x = np.zeros(700 * 32, np.int32)
    trace = run(SOURCE, "fill", 700, 32, x, 2, 0.0)
    assert (x == 2).all()
    assert len(trace.warps) == 700
    assert len(set(trace.warps["stream"].tolist())) == 1
    assert len(set(count_instructions(trace).tolist())) == 1


def test_endless_loop() -> None:
    with pytest.raises(KernelError) as caught:
        run(SOURCE, "endless", 1, 64, np.zeros(2, np.int32), max_instructions=20_000)
    message = str(caught.value)
    assert message.startswith("endless: at 0x")
    assert "kernel.cu:6" in message
    assert "more than 20000 instructions" in message
    assert "max_instructions" in message


@pytest.mark.parametrize("name", ["waiting", "locked"])
def test_waiting_for_what_nobody_does(name: str) -> None:
    with pytest.raises(KernelError, match=f"{name}: at 0x.*endless loop: nothing changes in it any more"):
        run(SOURCE, name, 2, 64, np.zeros(2, np.int32))


def test_waiting_for_time_to_pass() -> None:
    x = np.zeros(2, np.int32)
    run(SOURCE, "patient", 1, 64, x)
    assert x[0] == 1


def test_trap() -> None:
    x = np.zeros(64, np.int32)
    x[40] = -1
    with pytest.raises(
        KernelError, match=r"trapped: at 0x.*kernel.cu:10.*trapped in block \(0, 0, 0\), thread \(40, 0, 0\)"
    ):
        run(SOURCE, "trapped", 1, 64, x)
    x[40] = 0
    run(SOURCE, "trapped", 1, 64, x)
    assert (x == 1).all()


def test_assertion() -> None:
    x = np.zeros(64, np.int32)
    run(SOURCE, "asserting", 1, 64, x)
    assert (x == 1).all()
    x[50] = -1
    with pytest.raises(
        KernelError, match=r"assertion failed: x\[threadIdx.x\] >= 0 \(.*:11\) in .*thread \(50, 0, 0\)"
    ):
        run(SOURCE, "asserting", 1, 64, x)
