"""Launches and arguments as most families need them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Launch

MakeArgs = Callable[[np.random.Generator], Arguments]
Reference = Callable[[Sequence[Argument]], dict[int, Expected]]


def linear(blocks: int, threads: int, make_args: MakeArgs, reference: Reference, n: int | None = None) -> Launch:
    """A one-dimensional launch, named after its shape and its problem size: "4x256_n64"."""
    name = f"{blocks}x{threads}" + (f"_n{n}" if n is not None else "")
    return Launch(name, (blocks, 1, 1), (threads, 1, 1), make_args, reference)


def uniform(rng: np.random.Generator, size: int, low: float = -1.0, high: float = 1.0) -> NDArray[np.float32]:
    """``size`` float32 values between ``low`` and ``high``."""
    return (low + (high - low) * rng.random(size, np.float32)).astype(np.float32)


def zeros(size: int, dtype: Any = np.float32) -> NDArray[Any]:
    """An output that the kernel fills."""
    return np.zeros(size, dtype)
