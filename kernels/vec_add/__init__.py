"""Vector addition with 1, 2, 4 and 8 elements per thread, at block sizes from 32 to 1024."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros

SOURCE = Path(__file__).with_name("vec_add.cu")
ILPS = (1, 2, 4, 8)
BLOCK_SIZES = (32, 64, 128, 256, 512, 1024)
ELEMENTS = 132 * 8192  # for each block size: 132 SMs full of threads, four times over at one element per thread


def _launch(ilp: int, blocks: int, threads: int) -> Launch:
    n = blocks * threads * ilp

    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, n), uniform(rng, n), zeros(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {2: Expected(np.asarray(arguments[0]) + np.asarray(arguments[1]))}

    return linear(blocks, threads, make_args, reference)


KERNELS = tuple(
    Kernel(
        name=f"vec_add_x{ilp}",
        family="vec_add",
        source=SOURCE,
        entry="vec_add",
        description=f"vector addition, {ilp} element{'s' * (ilp > 1)} per thread",
        launches=(
            _launch(ilp, 1, 1024),
            *(_launch(ilp, ELEMENTS // (ilp * threads), threads) for threads in BLOCK_SIZES),
        ),
        options=(f"-DILP={ilp}",),
    )
    for ilp in ILPS
)
