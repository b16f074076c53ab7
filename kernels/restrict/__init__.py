"""Loads behind stores that may alias, and the same with __restrict__."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros

SOURCE = Path(__file__).with_name("restrict.cu")
ELEMENTS = 4  # per thread, as in restrict.cu


def _launch(blocks: int, threads: int) -> Launch:
    n = blocks * threads * ELEMENTS

    def make_args(rng: np.random.Generator) -> Arguments:
        return [zeros(n), uniform(rng, n), uniform(rng, 1)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {0: Expected(np.asarray(arguments[1]) * np.asarray(arguments[2]))}

    return linear(blocks, threads, make_args, reference)


def _kernel(name: str, description: str, options: tuple[str, ...] = ()) -> Kernel:
    launches = (_launch(1, 1024), _launch(132, 1024))
    return Kernel(name, "restrict", SOURCE, name, description, launches, options)


KERNELS = (
    _kernel("loads_plain", "four loads and stores in turn, pointers may alias"),
    _kernel("loads_restrict", "four loads and stores, pointers are __restrict__", ("-DRESTRICT",)),
)
