"""Launches and arguments as most families need them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Argument, Arguments, Expected, Launch

MakeArgs = Callable[[np.random.Generator], Arguments]
Reference = Callable[[Sequence[Argument]], dict[int, Expected]]


def linear(blocks: int, threads: int, make_args: MakeArgs, reference: Reference, label: str = "") -> Launch:
    """A one-dimensional launch, named after its shape and, where given, a label: "4x256_n64"."""
    name = f"{blocks}x{threads}" + (f"_{label}" if label else "")
    return Launch(name, (blocks, 1, 1), (threads, 1, 1), make_args, reference)


def uniform(rng: np.random.Generator, size: int, low: float = -1.0, high: float = 1.0) -> NDArray[np.float32]:
    """``size`` float32 values between ``low`` and ``high``."""
    return (low + (high - low) * rng.random(size, np.float32)).astype(np.float32)


def whole(rng: np.random.Generator, size: int, largest: int = 2) -> NDArray[np.float32]:
    """``size`` whole float32 values of magnitude up to ``largest``: their sums are exact, whatever the order."""
    return rng.integers(-largest, largest, size, np.int8, endpoint=True).astype(np.float32)


def zeros(size: int, dtype: Any = np.float32) -> NDArray[Any]:
    """An output that the kernel fills."""
    return np.zeros(size, dtype)
