"""Inclusive prefix sums: a serial one per thread, and one per warp with shuffles."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros

SOURCE = Path(__file__).with_name("scan.cu")
Scan = Callable[[NDArray[Any]], NDArray[Any]]


def _serial(slices: NDArray[Any]) -> NDArray[Any]:
    """Prefix sums along each row, one addition after the other, as np.cumsum does."""
    return np.cumsum(slices, axis=1, dtype=np.float32)


def _by_shuffles(slices: NDArray[Any]) -> NDArray[Any]:
    """Prefix sums along each row, 32 elements at a time by doubling distances, the last one carried on."""
    prefix = slices.reshape(len(slices), -1, 32).copy()
    for offset in (1, 2, 4, 8, 16):
        prefix[..., offset:] += prefix[..., :-offset].copy()
    carry = np.zeros((len(slices), 1), np.float32)
    for chunk in range(prefix.shape[1]):
        prefix[:, chunk] += carry
        carry = prefix[:, chunk, 31:]
    return prefix


def _launch(scan: Scan, blocks: int, threads: int, slices: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, slices * n), zeros(slices * n), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {1: Expected(scan(np.asarray(arguments[0]).reshape(slices, n)).ravel())}

    return linear(blocks, threads, make_args, reference, f"n{n}")


KERNELS = (
    Kernel(
        name="scan_serial",
        family="scan",
        source=SOURCE,
        entry="scan_serial",
        description="each thread scans its own slice: every output depends on all before it",
        launches=tuple(_launch(_serial, blocks, 256, blocks * 256, 64) for blocks in (1, 132)),
    ),
    Kernel(
        name="scan_warp",
        family="scan",
        source=SOURCE,
        entry="scan_warp",
        description="each warp scans its own slice with shuffles",
        launches=tuple(_launch(_by_shuffles, blocks, 256, blocks * 8, 1024) for blocks in (1, 132)),
    ),
)
