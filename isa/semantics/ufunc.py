"""Compiling a scalar function into a NumPy ufunc."""

from collections.abc import Callable
from typing import Any

from isa.compiled import compiled_ufunc

Ufunc = Callable[..., Any]

_alive: list[Any] = []


def compile_ufunc(signature: str, function: Callable[..., Any]) -> Ufunc:
    """The ufunc of ``function`` for one signature, compiled now or taken from the machine code on disk.

    What comes back is NumPy's own ufunc object: Numba's wrapper around it costs a microsecond a call. The wrapper owns
    the machine code, so it is kept.
    """
    wrapper = compiled_ufunc(signature, function)
    _alive.append(wrapper)
    ufunc: Ufunc = wrapper.ufunc
    return ufunc
