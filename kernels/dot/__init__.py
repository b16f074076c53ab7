"""Dot products: one dependent accumulator, four independent ones, and one that ends in an atomic per thread."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, whole, zeros

SOURCE = Path(__file__).with_name("dot.cu")


def _launch(blocks: int, threads: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        # The atomics come in any order: whole numbers make the result exact all the same.
        return [whole(rng, n), whole(rng, n), zeros(1), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a, b, out = (np.asarray(argument, np.float64) for argument in arguments[:3])
        return {2: Expected((out + a @ b).astype(np.float32))}

    return linear(blocks, threads, make_args, reference, f"n{n}")


LAUNCHES = (_launch(1, 256, 65536), _launch(1, 1024, 65 * 1024), _launch(132, 256, 64 * 132 * 256))

DESCRIPTIONS = {
    "dot_ilp1": "dot product, one accumulator per thread, warp shuffle, one atomic per warp",
    "dot_ilp4": "dot product, four independent accumulators per thread, warp shuffle, one atomic per warp",
    "dot_serial": "dot product without __restrict__, one accumulator, one atomic per thread",
}

KERNELS = tuple(
    Kernel(name, "dot", SOURCE, entry=name, description=description, launches=LAUNCHES)
    for name, description in DESCRIPTIONS.items()
)
