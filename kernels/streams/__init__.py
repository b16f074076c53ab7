"""Streams on the whole GPU, from sizes that L2 holds to ten times as much: what the chip's bandwidths make of them.

Kernels of other families at other sizes, and the STREAM benchmark's triad. A launch is named after the megabytes that
it moves.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kernels import dot, reduction, scale, vec_add
from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, whole, zeros
from kernels.reference import fma

MEGABYTE = 1 << 20
SIZES = (12, 24, 36, 64, 128, 500)
THREADS = 256
BLOCKS = 8 * 132  # of kernels whose threads loop over the arrays
ELEMENT = 4  # bytes
SCALAR = 2.5


def _per_array(megabytes: int, arrays: int, multiple: int) -> int:
    """Elements of each array, a multiple of so many."""
    return megabytes * MEGABYTE // (arrays * ELEMENT * multiple) * multiple


def _vec_add(megabytes: int) -> Launch:
    per_thread = 4
    n = _per_array(megabytes, 3, THREADS * per_thread)

    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, n), uniform(rng, n), zeros(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {2: Expected(np.asarray(arguments[0]) + np.asarray(arguments[1]))}

    return linear(n // (THREADS * per_thread), THREADS, make_args, reference)


def _scale(megabytes: int) -> Launch:
    per_thread = 4
    n = _per_array(megabytes, 2, THREADS * per_thread)

    def make_args(rng: np.random.Generator) -> Arguments:
        return [zeros(n), uniform(rng, n), np.float32(SCALAR), np.int32(n // per_thread)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {0: Expected(np.asarray(arguments[1]) * np.float32(SCALAR))}

    return linear(n // (THREADS * per_thread), THREADS, make_args, reference)


def _triad(megabytes: int) -> Launch:
    per_thread = 4
    n = _per_array(megabytes, 3, THREADS * per_thread)

    def make_args(rng: np.random.Generator) -> Arguments:
        return [zeros(n), uniform(rng, n), uniform(rng, n), np.float32(SCALAR)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        _, b, c, scalar = (np.asarray(argument) for argument in arguments)
        return {0: Expected(fma(scalar, c, b))}

    return linear(n // (THREADS * per_thread), THREADS, make_args, reference)


def _dot(megabytes: int) -> Launch:
    n = _per_array(megabytes, 2, THREADS)

    def make_args(rng: np.random.Generator) -> Arguments:
        return [whole(rng, n), whole(rng, n), zeros(1), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a, b, out = (np.asarray(argument, np.float64) for argument in arguments[:3])
        return {2: Expected((out + a @ b).astype(np.float32))}

    return linear(BLOCKS, THREADS, make_args, reference)


def _reduction(megabytes: int) -> Launch:
    n = _per_array(megabytes, 1, THREADS * BLOCKS)

    def make_args(rng: np.random.Generator) -> Arguments:
        return [whole(rng, n), zeros(BLOCKS), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        rows = np.asarray(arguments[0], np.float64).reshape(-1, BLOCKS, THREADS)
        return {1: Expected(rows.sum(axis=(0, 2)).astype(np.float32))}

    return linear(BLOCKS, THREADS, make_args, reference)


def _kernel(
    name: str,
    source: Path,
    entry: str,
    description: str,
    *,
    launch: Callable[[int], Launch],
    options: tuple[str, ...] = (),
) -> Kernel:
    launches = tuple(replace(launch(megabytes), name=f"{megabytes}mb") for megabytes in SIZES)
    return Kernel(name, "streams", source, entry, description, launches, options)


KERNELS = (
    _kernel(
        "stream_vec_add", vec_add.SOURCE, "vec_add", "two arrays in, one out", launch=_vec_add, options=("-DILP=4",)
    ),
    _kernel("stream_scale", scale.SOURCE, "scale_float4", "one array in, one out, 128-bit accesses", launch=_scale),
    _kernel(
        "stream_triad",
        Path(__file__).with_name("triad.cu"),
        "triad",
        "two in, one out, 128-bit accesses",
        launch=_triad,
    ),
    _kernel("stream_dot", dot.SOURCE, "dot_ilp4", "two arrays in", launch=_dot),
    _kernel("stream_reduction", reduction.SOURCE, "sum_reduction_ilp4", "one array in", launch=_reduction),
)
