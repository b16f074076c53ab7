"""Stores of parts of sectors on the whole GPU: words some way apart, and a transposed copy without a tile.

What L2 has of such a sector is not all of it, so that DRAM has to read the rest.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros

SOURCE = Path(__file__).with_name("strided.cu")
MEGABYTE = 1 << 20
ELEMENT = 4  # bytes
BLOCKS, THREADS = 8 * 132, 256
# Megabytes from the first word to the last, and words from each to the next.
STORES = ((16, 8), (64, 8), (128, 2), (128, 8), (128, 16), (128, 32))
ADDS = ((64, 8), (128, 32))
TILE = (32, 8)
SIZES = (1024, 4096)


def _words(megabytes: int, stride: int, *, adds: bool) -> Launch:
    size = megabytes * MEGABYTE // ELEMENT
    n = size // stride

    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, size), np.int32(stride), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        out = np.array(arguments[0])
        out[::stride] = out[::stride] + np.float32(1) if adds else np.arange(n, dtype=np.float32)
        return {0: Expected(out)}

    return linear(BLOCKS, THREADS, make_args, reference, f"{megabytes}mb_{stride}")


def _transpose(size: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, size * size), zeros(size * size), np.int32(size)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {1: Expected(np.asarray(arguments[0]).reshape(size, size).T.ravel())}

    columns, rows = TILE
    return Launch(f"{size}x{size}", (size // columns, size // rows, 1), (columns, rows, 1), make_args, reference)


def _kernel(name: str, description: str, launches: Sequence[Launch]) -> Kernel:
    return Kernel(name, "strided", SOURCE, entry=name, description=description, launches=tuple(launches))


KERNELS = (
    _kernel("strided_stores", "store words some way apart", [_words(*shape, adds=False) for shape in STORES]),
    _kernel("strided_adds", "add to words some way apart", [_words(*shape, adds=True) for shape in ADDS]),
    _kernel("transpose_untiled", "transpose a matrix, stores down its columns", [_transpose(size) for size in SIZES]),
)
