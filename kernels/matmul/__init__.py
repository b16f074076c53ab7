"""Tiled matrix product through shared memory, with a naive and with an unrolled inner loop."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import uniform, zeros
from kernels.reference import fma, sum_in_order

SOURCE = Path(__file__).with_name("matmul.cu")
TILE = 16
SIZES = ((1, 1, 256), (8, 8, 128), (32, 32, 512))  # tile columns, tile rows, k


def _product(a: NDArray[Any], b: NDArray[Any], accumulators: int) -> NDArray[Any]:
    """A tile of ``a`` times a tile of ``b``: element k goes to accumulator k modulo their number."""
    sums = np.zeros((accumulators, a.shape[0], b.shape[1]), np.float32)
    for k in range(TILE):
        sums[k % accumulators] = fma(a[:, k : k + 1], b[k], sums[k % accumulators])
    return sum_in_order(sums)


def _launch(accumulators: int, tile_columns: int, tile_rows: int, k: int) -> Launch:
    rows, columns = tile_rows * TILE, tile_columns * TILE

    def make_args(rng: np.random.Generator) -> Arguments:
        return [
            uniform(rng, rows * k),
            uniform(rng, k * columns),
            zeros(rows * columns),
            np.int32(columns),
            np.int32(k),
        ]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a = np.asarray(arguments[0]).reshape(rows, k)
        b = np.asarray(arguments[1]).reshape(k, columns)
        tiles = [_product(a[:, s : s + TILE], b[s : s + TILE], accumulators) for s in range(0, k, TILE)]
        return {2: Expected(sum_in_order(np.stack(tiles)).ravel())}

    name = f"{tile_columns}x{tile_rows}_16x16_k{k}"
    return Launch(name, (tile_columns, tile_rows, 1), (TILE, TILE, 1), make_args, reference)


KERNELS = tuple(
    Kernel(
        name=name,
        family="matmul",
        source=SOURCE,
        entry=name,
        description=f"16 x 16 tiles in shared memory, {inner}",
        launches=tuple(_launch(accumulators, *size) for size in SIZES),
    )
    for name, inner, accumulators in (
        ("matmul_naive", "inner loop not unrolled, one accumulator", 1),
        ("matmul_unrolled", "inner loop unrolled, four independent accumulators", 4),
    )
)
