"""Compiling a scalar function into a NumPy ufunc."""

from collections.abc import Callable
from typing import Any

import numba

Ufunc = Callable[..., Any]

vectorize: Any = numba.vectorize  # not typed

_alive: list[Any] = []


def compile_ufunc(signature: str, function: Callable[..., Any]) -> Ufunc:
    """The ufunc of ``function`` for one signature, compiled now or taken from Numba's cache on disk.

    What comes back is NumPy's own ufunc object: Numba's wrapper around it costs a microsecond a call. The wrapper owns
    the machine code, so it is kept.
    """
    wrapper = vectorize([signature], cache=True)(function)
    _alive.append(wrapper)
    ufunc: Ufunc = wrapper.ufunc
    return ufunc
