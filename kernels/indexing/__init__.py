"""Row and column of an element: by a division and a remainder per element, and from the grid."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, zeros

SOURCE = Path(__file__).with_name("indexing.cu")
COLUMNS = 250
STRIDE = 256
SHAPES = ((1, 64), (132, 1056))  # blocks of 256 threads, rows


def _elements(rows: int) -> np.ndarray:
    return (4096 * np.arange(rows)[:, None] + np.arange(COLUMNS)).astype(np.float32)


def _division(blocks: int, rows: int) -> Launch:
    def make_args(_: np.random.Generator) -> Arguments:
        return [zeros(rows * COLUMNS), np.int32(rows), np.int32(COLUMNS)]

    def reference(_: Sequence[Argument]) -> dict[int, Expected]:
        return {0: Expected(_elements(rows).ravel())}

    return linear(blocks, 256, make_args, reference, f"rows{rows}")


def _stride(blocks: int, rows: int) -> Launch:
    def make_args(_: np.random.Generator) -> Arguments:
        return [zeros(rows * STRIDE), np.int32(rows), np.int32(COLUMNS), np.int32(STRIDE)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        data = np.array(arguments[0]).reshape(rows, STRIDE)
        data[:, :COLUMNS] = _elements(rows)
        return {0: Expected(data.ravel())}

    return Launch(f"1x{blocks}_256_rows{rows}", (1, blocks, 1), (256, 1, 1), make_args, reference)


KERNELS = (
    Kernel(
        name="index_division",
        family="indexing",
        source=SOURCE,
        entry="index_division",
        description="row and column by integer division and remainder in the loop",
        launches=tuple(_division(*shape) for shape in SHAPES),
    ),
    Kernel(
        name="index_stride",
        family="indexing",
        source=SOURCE,
        entry="index_stride",
        description="row and column from the grid, address by multiply-add",
        launches=tuple(_stride(*shape) for shape in SHAPES),
    ),
)
