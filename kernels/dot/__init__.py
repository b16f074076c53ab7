"""Dot products: one dependent accumulator, four independent ones, and one that ends in an atomic per thread."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import any_order_bound

SOURCE = Path(__file__).with_name("dot.cu")


def _launch(blocks: int, threads: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, n), uniform(rng, n), zeros(1), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a, b, out = (np.asarray(argument, np.float64) for argument in arguments[:3])
        products = a * b
        total = (out + products.sum()).astype(np.float32)
        grid_threads = blocks * threads
        depth = -(-n // grid_threads) + 5 + grid_threads  # a thread's terms, the warp's tree, the atomics
        reason = "atomic additions come in any order"
        return {2: Expected(total, absolute=any_order_bound(products, depth), reason=reason)}

    return linear(blocks, threads, make_args, reference, n)


LAUNCHES = (_launch(1, 256, 65536), _launch(1, 1024, 65536), _launch(132, 256, 132 * 256 * 64))

DESCRIPTIONS = {
    "dot_ilp1": "dot product, one accumulator per thread, warp shuffle, one atomic per warp",
    "dot_ilp4": "dot product, four independent accumulators per thread, warp shuffle, one atomic per warp",
    "dot_serial": "dot product without __restrict__, one accumulator, one atomic per thread",
}

KERNELS = tuple(
    Kernel(name, "dot", SOURCE, entry=name, description=description, launches=LAUNCHES)
    for name, description in DESCRIPTIONS.items()
)
