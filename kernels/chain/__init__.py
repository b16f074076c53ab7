"""Register-only chains of one instruction at ILP 1 to 16, timed with clock64().

The loop body is 128 instructions of the one kind, plus a counter, a comparison and the branch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.reference import fma

OPERATIONS = 128  # per loop iteration, as in chain.cu
ITERATIONS = 32
ILPS = (1, 2, 4, 8, 16)
BLOCK_SIZES = (32, 128, 256, 512, 1024)  # one warp, then 1, 2, 4, 8 warps per SMSP
SOURCE = Path(__file__).with_name("chain.cu")

Array = NDArray[Any]
Step = Callable[[Array, Array, Array], Array]
Operands = Callable[[np.random.Generator], tuple[np.generic, np.generic]]


@dataclass(frozen=True)
class Operation:
    """One instruction and its chain: the next term is ``step(x, a, b)``.

    With ``two_terms`` it is ``step(x, y, a)`` where y is the term before x, which starts as b.
    """

    instruction: str
    dtype: type[np.generic]
    step: Step
    operands: Operands
    two_terms: bool = False
    relative: float = 0.0
    reason: str = ""


def _between(dtype: type[np.floating[Any]], a: tuple[float, float], b: tuple[float, float]) -> Operands:
    return lambda rng: (dtype(rng.uniform(*a)), dtype(rng.uniform(*b)))


def _words(rng: np.random.Generator) -> tuple[np.generic, np.generic]:
    a, b = rng.integers(0, 2**32, 2, dtype=np.uint32)
    return a, b


def _half_pairs(rng: np.random.Generator) -> tuple[np.generic, np.generic]:
    a, b = rng.uniform(((0.99,), (-1.0,)), 1.0, (2, 2)).astype(np.float16).view(np.uint32)[:, 0]
    return a, b


def _on_halves(step: Step) -> Step:
    """The step on the two halves of each 32-bit word."""

    def on_words(x: Array, a: Array, b: Array) -> Array:
        halves = (np.atleast_1d(word).view(np.float16).reshape(-1, 2) for word in (x, a, b))
        return np.ascontiguousarray(step(*halves)).view(np.uint32).reshape(x.shape)

    return on_words


def _reciprocal_root(x: Array, _a: Array, _b: Array) -> Array:
    return np.asarray(1.0 / np.sqrt(x.astype(np.float64)), np.float32)


OPERATION = {
    "ffma": Operation("FFMA", np.float32, fma, _between(np.float32, (0.9999, 1.0), (-1.0, 1.0))),
    "fadd": Operation("FADD", np.float32, lambda x, a, b: x + a, _between(np.float32, (0.0, 0.01), (0.0, 0.0))),
    "fmul": Operation("FMUL", np.float32, lambda x, a, b: x * a, _between(np.float32, (0.999, 1.001), (0.0, 0.0))),
    "imad": Operation("IMAD", np.uint32, lambda x, a, b: x * a + b, _words),
    "iadd3": Operation("IADD3", np.uint32, lambda x, y, a: x + y + a, _words, two_terms=True),
    "dfma": Operation("DFMA", np.float64, fma, _between(np.float64, (0.9999, 1.0), (-1.0, 1.0))),
    "hfma2": Operation("HFMA2", np.uint32, _on_halves(lambda x, a, b: fma(x, a[:, :1], b)), _half_pairs),
    "hfma2_mixed": Operation("HFMA2 and HFMA2.MMA in turn", np.uint32, _on_halves(fma), _half_pairs),
    "mufu": Operation(
        "MUFU.RSQ",
        np.float32,
        _reciprocal_root,
        _between(np.float32, (0.0, 0.0), (0.0, 0.0)),
        relative=2.0**-21,
        reason="MUFU.RSQ errs by up to 2**-22.9 a step, and a step halves the error that came in",
    ),
}


def _launch(operation: Operation, ilp: int, threads: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        a, b = operation.operands(rng)
        out, cycles = np.zeros(threads * ilp, operation.dtype), np.zeros(threads // 32, np.int64)
        return [out, cycles, a, b, np.int32(ITERATIONS)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        _, _, a, b, iterations = (np.asarray(argument) for argument in arguments)
        x = (np.arange(threads)[:, None] + 1 + np.arange(ilp)).astype(operation.dtype)
        steps = int(iterations) * OPERATIONS // ilp
        if operation.two_terms:
            y = np.full_like(x, b)
            x = operation.step(x, y, a)
            for _ in range(steps // 2):
                y = operation.step(y, x, a)
                x = operation.step(x, y, a)
        else:
            for _ in range(1 + steps):
                x = operation.step(x, a, b)
        return {0: Expected(x.ravel(), relative=operation.relative, reason=operation.reason)}

    return Launch(f"1x{threads}", (1, 1, 1), (threads, 1, 1), make_args, reference)


def _kernel(name: str, operation: Operation, ilp: int) -> Kernel:
    return Kernel(
        name=f"chain_{name}_ilp{ilp}",
        family="chain",
        source=SOURCE,
        entry=f"chain_{name}",
        description=f"{ilp} dependent chain{'s' * (ilp > 1)} of {operation.instruction}, registers only",
        launches=tuple(_launch(operation, ilp, threads) for threads in BLOCK_SIZES),
        options=(f"-D{name.upper()}", f"-DILP={ilp}"),
        cycles_argument=1,
    )


KERNELS = tuple(_kernel(name, operation, ilp) for name, operation in OPERATION.items() for ilp in ILPS)
