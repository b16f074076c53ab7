"""Elementwise scaling: 32-bit accesses, 128-bit accesses, 128-bit accesses with a fused bias."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import fma

SOURCE = Path(__file__).with_name("scale.cu")
SHAPES = ((1, 1024), (132, 1024))
LARGE = 1 << 24  # elements, in blocks of 256 threads


def _launch(width: int, bias: bool, blocks: int, threads: int) -> Launch:
    """``width`` elements per thread."""
    n = blocks * threads * width

    def make_args(rng: np.random.Generator) -> Arguments:
        scalars = [np.float32(2.5)] + [np.float32(1.0)] * bias + [np.int32(n // width)]
        return [zeros(n), uniform(rng, n), *scalars]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        _, values, alpha, *rest = (np.asarray(argument) for argument in arguments)
        return {0: Expected(fma(values, alpha, rest[0]) if bias else values * alpha)}

    return linear(blocks, threads, make_args, reference)


def _kernel(name: str, description: str, width: int, bias: bool = False) -> Kernel:
    shapes = (*SHAPES, (LARGE // (256 * width), 256))
    return Kernel(
        name,
        "scale",
        SOURCE,
        entry=name,
        description=description,
        launches=tuple(_launch(width, bias, *shape) for shape in shapes),
    )


KERNELS = (
    _kernel("scale_scalar", "multiply by a scalar, one element per thread", width=1),
    _kernel("scale_float4", "multiply by a scalar, 128-bit loads and stores", width=4),
    _kernel("scale_float4_fma", "multiply and add, 128-bit read-only loads", width=4, bias=True),
)
