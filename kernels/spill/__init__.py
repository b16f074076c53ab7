"""An over-unrolled loop whose live values do not fit into 32 registers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import fma

SOURCE = Path(__file__).with_name("spill.cu")
UNROLL = 16  # as in spill.cu


def _launch(blocks: int, threads: int, n: int) -> Launch:
    size = blocks * threads

    def make_args(rng: np.random.Generator) -> Arguments:
        return [*(uniform(rng, n * size) for _ in range(3)), zeros(size), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        values = np.stack([np.asarray(argument).reshape(n, size) for argument in arguments[:3]])
        total = np.zeros(size, np.float32)
        for start in range(0, n, UNROLL):
            part = values[:, start : start + UNROLL]
            x, y, z = part - np.maximum(part.max(axis=(0, 1)), np.float32(0))
            for k in range(UNROLL):
                total = fma(x[k], y[k], total) + z[k]
        return {3: Expected(total)}

    return linear(blocks, threads, make_args, reference, f"n{n}")


KERNELS = (
    Kernel(
        name="spill",
        family="spill",
        source=SOURCE,
        entry="spill",
        description="16 iterations of three loads unrolled into 32 registers: the rest is in local memory",
        launches=(_launch(1, 1024, 64), _launch(264, 1024, 64)),
    ),
)
