"""Branches that part the lanes of a warp: 10 and 20 instructions, and two nested levels."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import zeros
from kernels.reference import fma

SOURCE = Path(__file__).with_name("divergence.cu")
ITERATIONS = 32
Array = NDArray[Any]
Body = Callable[[Array, Array, Array, Array], Array]


def _repeat(length: int, step: Callable[[Array], Array], x: Array) -> Array:
    for _ in range(length):
        x = step(x)
    return x


def _two_sides(side: Array, x: Array, a: Array, b: Array) -> Array:
    return np.where(side & 1, _repeat(10, lambda x: fma(x, a, b), x), _repeat(20, lambda x: x * a, x))


def _nested(side: Array, x: Array, a: Array, b: Array) -> Array:
    outer = np.where(side & 2, _repeat(10, lambda x: fma(x, a, b), x), _repeat(10, lambda x: x * a, x))
    inner = np.where(side & 2, _repeat(10, lambda x: x + b, x), _repeat(10, lambda x: b - x, x))
    return np.where(side & 1, outer, inner)


def _launch(name: str, body: Body, threads: int, lanes_per_side: int) -> Launch:
    """Sides are drawn per ``lanes_per_side`` consecutive lanes."""

    def make_args(rng: np.random.Generator) -> Arguments:
        side = np.repeat(rng.permutation(threads // lanes_per_side) % 4, lanes_per_side).astype(np.int32)
        return [
            side,
            zeros(threads),
            np.float32(rng.uniform(0.99, 1.0)),
            np.float32(rng.uniform()),
            np.int32(ITERATIONS),
        ]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        side, _, a, b, iterations = (np.asarray(argument) for argument in arguments)
        x = np.arange(threads, dtype=np.float32)
        for _ in range(int(iterations)):
            x = body(side, x, a, b)
        return {1: Expected(x)}

    return Launch(name, (1, 1, 1), (threads, 1, 1), make_args, reference)


def _launches(body: Body) -> tuple[Launch, ...]:
    return (
        _launch("1x128_divergent", body, 128, lanes_per_side=1),
        _launch("1x128_converged", body, 128, lanes_per_side=32),
        _launch("1x512_divergent", body, 512, lanes_per_side=1),
    )


KERNELS = (
    Kernel(
        name="divergent_10_20",
        family="divergence",
        source=SOURCE,
        entry="divergent_10_20",
        description="a branch with 10 instructions on one side and 20 on the other",
        launches=_launches(_two_sides),
    ),
    Kernel(
        name="divergent_nested",
        family="divergence",
        source=SOURCE,
        entry="divergent_nested",
        description="two nested branches, 10 instructions on each of four sides",
        launches=_launches(_nested),
    ),
)
