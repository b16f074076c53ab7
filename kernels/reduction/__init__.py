"""Sum reductions to one partial sum per block, with one and with four accumulators per thread."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import sum_in_order

SOURCE = Path(__file__).with_name("reduction.cu")
SHAPES = ((1, 256, 256), (1, 1024, 65), (132, 256, 64))  # blocks, threads, elements per thread


def _warp_sum(values: NDArray[Any]) -> NDArray[Any]:
    """What lane 0 gets from the shuffles; ``values`` is (..., 32)."""
    for offset in (16, 8, 4, 2, 1):
        values = values[..., :offset] + values[..., offset : 2 * offset]
    return values[..., 0]


def _launch(ilp: int, blocks: int, threads: int, per_thread: int) -> Launch:
    n = blocks * threads * per_thread

    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, n), zeros(blocks), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        rows = np.asarray(arguments[0]).reshape(per_thread, blocks, threads // 32, 32)
        rest = per_thread - per_thread % ilp
        accumulators = [sum_in_order(rows[first:rest:ilp]) for first in range(ilp)]
        thread_sums = sum_in_order(np.stack([*accumulators, *rows[rest:]]))
        warp_sums = np.zeros((blocks, 32), np.float32)
        warp_sums[:, : threads // 32] = _warp_sum(thread_sums)
        return {1: Expected(_warp_sum(warp_sums))}

    return linear(blocks, threads, make_args, reference, f"n{n}")


KERNELS = tuple(
    Kernel(
        name=f"sum_reduction_ilp{ilp}",
        family="reduction",
        source=SOURCE,
        entry=f"sum_reduction_ilp{ilp}",
        description=f"sum reduction, {count} per thread, warp shuffles and one barrier",
        launches=tuple(_launch(ilp, *shape) for shape in SHAPES),
    )
    for ilp, count in ((1, "one accumulator"), (4, "four independent accumulators"))
)
