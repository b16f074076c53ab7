"""Sum over a window of 16 elements, fully unrolled."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import sum_in_order

SOURCE = Path(__file__).with_name("stencil.cu")
TAPS = 16
SHAPES = ((1, 1024, 1000), (132, 1024, 132 * 1024))  # blocks, threads, n


def _launch(blocks: int, threads: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, n + TAPS - 1), zeros(n), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        windows = np.lib.stride_tricks.sliding_window_view(np.asarray(arguments[0]), TAPS)
        return {1: Expected(sum_in_order(windows.T))}

    return linear(blocks, threads, make_args, reference, f"n{n}")


KERNELS = (
    Kernel(
        name="stencil_unrolled",
        family="stencil",
        source=SOURCE,
        entry="stencil",
        description="sum of 16 neighbours, fully unrolled: independent loads, a chain of additions",
        launches=tuple(_launch(*shape) for shape in SHAPES),
        options=(f"-DTAPS={TAPS}",),
    ),
)
