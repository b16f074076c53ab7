"""What the catalogue says of a kernel: where its source is, how to compile and launch it, what it must compute."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Dim3 = tuple[int, int, int]
Argument = NDArray[Any] | np.generic
Arguments = list[Argument]


class UnknownLaunchError(LookupError):
    """The kernel has no launch of that name; the message lists those that it has."""


@dataclass(frozen=True)
class Expected:
    """What an array argument holds after the launch.

    Attributes:
        values: same shape and dtype as the argument.
        relative, absolute: tolerance ``absolute + relative * abs(values)``; both 0 asks for equal bits, save that any
            NaN equals any other.
        reason: why a tolerance is needed; empty when there is none.
    """

    values: NDArray[Any]
    relative: float = 0.0
    absolute: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.relative or self.absolute) and not self.reason:
            raise ValueError("a tolerance needs a reason")

    def differs(self, actual: NDArray[Any]) -> NDArray[np.bool_]:
        """Where ``actual`` (same shape as ``values``) is not what is expected."""
        values = self.values
        if not np.issubdtype(values.dtype, np.floating):
            return np.asarray(actual != values)
        both_nan = np.isnan(actual) & np.isnan(values)
        equal = (actual == values) & (np.signbit(actual) == np.signbit(values))
        if self.relative or self.absolute:
            with np.errstate(invalid="ignore"):
                error = np.abs(actual.astype(np.float64) - values.astype(np.float64))
            equal |= error <= self.absolute + self.relative * np.abs(values.astype(np.float64))
        return np.asarray(~(equal | both_nan))


@dataclass(frozen=True)
class Launch:
    """One way to launch a kernel.

    Attributes:
        name: unique within the kernel; "4x256_n64" is 4 blocks of 256 threads with n = 64.
        grid, block: (x, y, z).
        make_args: new arguments, in the order of the kernel's parameters; the same generator state gives the same ones.
        reference: from arguments as they were before the launch to what some of them hold after the whole grid ran,
            keyed by argument index; None when NumPy has no such thing.
        shared_mem: dynamic shared memory per block in bytes.
        deterministic: without a reference, the array arguments that hold the same bits after every right run.
    """

    name: str
    grid: Dim3
    block: Dim3
    make_args: Callable[[np.random.Generator], Arguments]
    reference: Callable[[Sequence[Argument]], dict[int, Expected]] | None
    shared_mem: int = 0
    deterministic: tuple[int, ...] = ()

    @property
    def num_threads(self) -> int:
        """Threads in the grid."""
        return int(np.prod(self.grid)) * int(np.prod(self.block))

    def arguments(self, seed: int = 0) -> Arguments:
        """New arguments from a seed."""
        return self.make_args(np.random.default_rng(seed))

    def expected(self, arguments: Sequence[Argument]) -> dict[int, Expected]:
        """What the arrays among ``arguments`` (as before the launch) must hold after it, by argument index.

        Empty without a reference.
        """
        return self.reference(arguments) if self.reference else {}


@dataclass(frozen=True)
class Kernel:
    """A kernel of the catalogue.

    Attributes:
        name: unique in the catalogue.
        family: the package that declares it.
        source: its CUDA C file; of a generated kernel, what the file would be called.
        entry: the ``extern "C"`` name in that file.
        description: one line.
        launches: the first one is the default.
        options: for NVRTC, e.g. ("-DILP=4",).
        cycles_argument: index of the argument that receives, per warp, the clock64() cycles of the timed part (int64),
            or None when the kernel does not time itself.
        generate: makes the source of a generated kernel; None when it is in the file.
    """

    name: str
    family: str
    source: Path
    entry: str
    description: str
    launches: tuple[Launch, ...]
    options: tuple[str, ...] = ()
    cycles_argument: int | None = None
    generate: Callable[[], str] | None = None

    @property
    def code(self) -> str:
        """The CUDA C source."""
        return self.generate() if self.generate else self.source.read_text(encoding="utf-8")

    @property
    def default(self) -> Launch:
        """The launch that is meant when none is named."""
        return self.launches[0]

    def launch(self, name: str) -> Launch:
        """The launch of that name; UnknownLaunchError when there is none."""
        for launch in self.launches:
            if launch.name == name:
                return launch
        known = ", ".join(launch.name for launch in self.launches)
        raise UnknownLaunchError(f"kernel {self.name} has no launch '{name}'; it has: {known}")


def suggestion(name: str, known: Sequence[str]) -> str:
    """``"; did you mean a, b?"`` with the known names closest to ``name``, or "" when none is close."""
    close = get_close_matches(name, known)
    return f"; did you mean {', '.join(close)}?" if close else ""
