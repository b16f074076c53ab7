"""The reciprocal-square-root benchmark: unroll factors 1 to 16, without and with a sine per element."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros

SOURCE = Path(__file__).with_name("rsqrt.cu")
UNROLLS = (1, 2, 4, 8, 16)
SHAPES = ((1, 256, 64), (1024, 256, 64), (1024, 256, 512))  # blocks, threads, n


def _launch(sine: bool, blocks: int, threads: int, n: int) -> Launch:
    size = blocks * threads

    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, size * n, 0.5, 2.0), zeros(size), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        total = np.zeros(size, np.float64)
        for x in np.asarray(arguments[0]).reshape(size, n).T.astype(np.float64):
            root = 1.0 / np.sqrt(x) + (np.sin(x) if sine else 0.0)
            total = ((total + root) * 0.99 + x * 0.5 - x * 0.1) * 1.01 + x * x * 0.01 - root * 0.5 + 0.001
        # All terms are positive but the two subtracted, which are smaller than what they are taken from.
        reason = "MUFU approximates to about 2**-22, and each element adds ten roundings of 2**-24"
        return {1: Expected(total.astype(np.float32), relative=n * 2.0**-20, reason=reason)}

    return linear(blocks, threads, make_args, reference, f"n{n}")


def _kernel(sine: bool, unroll: int) -> Kernel:
    stem = "rsqrt_sin" if sine else "rsqrt"
    return Kernel(
        name=f"{stem}_unroll{unroll}",
        family="rsqrt",
        source=SOURCE,
        entry=f"{stem}_slices",
        description=f"a slice per thread: load, {'rsqrt and sine' if sine else 'rsqrt'}, eight dependent operations, "
        f"unrolled {unroll} times",
        launches=tuple(_launch(sine, *shape) for shape in SHAPES),
        options=(f"-DUNROLL={unroll}", *(("-DSINE",) if sine else ())),
    )


KERNELS = tuple(_kernel(sine, unroll) for sine in (False, True) for unroll in UNROLLS)
