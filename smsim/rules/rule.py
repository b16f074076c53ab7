"""The decorator of every rule."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a rule with Numba on first use and keep the code on disk."""
    compiled: Callable[P, R] = numba.njit(cache=True, _nrt=False)(function)
    return compiled
