"""a * b + c: fused to FFMA, kept apart by rounding intrinsics, and apart because the product is stored."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import fma

SOURCE = Path(__file__).with_name("multiply_add.cu")
SHAPES = ((1, 256, 16384), (132, 256, 132 * 256 * 16))  # blocks, threads, n


def _launch(fused: bool, stored: bool, blocks: int, threads: int, n: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        outputs = [zeros(n) for _ in range(1 + stored)]
        return [uniform(rng, n), uniform(rng, n), uniform(rng, n), *outputs, np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        a, b, c = (np.asarray(argument) for argument in arguments[:3])
        expected = {3: Expected(fma(a, b, c) if fused else a * b + c)}
        return expected | {4: Expected(a * b)} if stored else expected

    return linear(blocks, threads, make_args, reference, f"n{n}")


def _kernel(name: str, description: str, fused: bool = False, stored: bool = False) -> Kernel:
    launches = tuple(_launch(fused, stored, *shape) for shape in SHAPES)
    return Kernel(name, "multiply_add", SOURCE, entry=name, description=description, launches=launches)


KERNELS = (
    _kernel("multiply_add_fused", "a * b + c, contracted to one FFMA", fused=True),
    _kernel("multiply_add_separate", "a * b + c as FMUL and FADD, by rounding intrinsics"),
    _kernel("multiply_add_stored", "a * b + c where the product is stored too: FMUL and FADD", stored=True),
)
