"""Arrays changed in place by one block.

What L2 has of them when the launch begins hangs on who wrote them before: between its passes ncu copies them back.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform

SOURCE = Path(__file__).with_name("in_place.cu")
THREADS = 256
KB = 256  # floats


def _launch(arrays: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [*(uniform(rng, n) for _ in range(arrays)), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {i: Expected(np.asarray(arguments[i]) + np.float32(i + 1)) for i in range(arrays)}

    return linear(1, THREADS, make_args, reference, f"n{n}")


KERNELS = (
    Kernel(
        name="in_place",
        family="in_place",
        source=SOURCE,
        entry="in_place",
        description="adds one to each element of an array",
        launches=tuple(_launch(1, n * KB) for n in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256)),
    ),
    Kernel(
        name="in_place3",
        family="in_place",
        source=SOURCE,
        entry="in_place3",
        description="adds one, two and three to each element of three arrays",
        launches=tuple(_launch(3, n * KB) for n in (1, 4, 8, 32)),
    ),
)
