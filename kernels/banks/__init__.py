"""Multiply-adds whose three source registers share a bank, and the same number whose sources do not.

As ptxas 13.0 allocates: operands in aligned quads of R4 to R51, e.g. ``FFMA R9, R41, R37, R9`` against
``FFMA R9, R42, R39, R9``. One clashing accumulator passes through R61 once per iteration: 127 of 128 clash modulo 4.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import fma

SOURCE = Path(__file__).with_name("banks.cu")
QUADS, TURNS = 4, 8  # as in banks.cu
ITERATIONS = 32
BLOCK_SIZES = (32, 128, 256, 512)


def _launch(clash: bool, threads: int) -> Launch:
    size = QUADS * threads * 4

    def make_args(rng: np.random.Generator) -> Arguments:
        quads = [uniform(rng, size) for _ in range(3)]
        return [*quads, zeros(threads // 32, np.int64), np.int32(ITERATIONS)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a, b, sums = (np.array(argument).reshape(QUADS, threads, 4) for argument in arguments[:3])
        if not clash:
            a, b = np.roll(a, -1, axis=2), np.roll(b, -2, axis=2)
        sums = fma(a, b, sums)
        k = np.arange(QUADS)
        for _ in range(ITERATIONS):
            for turn in range(TURNS):
                sums = fma(a[(k + turn) % QUADS], b[(k + 3 * turn) % QUADS], sums)
        return {2: Expected(sums.ravel())}

    return linear(1, threads, make_args, reference)


def _kernel(name: str, description: str, clash: bool, options: tuple[str, ...] = ()) -> Kernel:
    return Kernel(
        name=name,
        family="banks",
        source=SOURCE,
        entry=name,
        description=description,
        launches=tuple(_launch(clash, threads) for threads in BLOCK_SIZES),
        options=options,
        cycles_argument=3,
    )


KERNELS = (
    _kernel("banks_clashing", "16 accumulators, FFMA sources equal modulo 4", clash=True, options=("-DCLASH",)),
    _kernel("banks_spread", "16 accumulators, FFMA sources 0, 1 and 2 apart modulo 4", clash=False),
)
