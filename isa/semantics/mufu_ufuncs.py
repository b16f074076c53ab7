"""The special functions as NumPy ufuncs on FP32 bits: computed in FP64, rounded to nearest."""

from functools import cache
from math import isnan

import numpy as np
from numba import njit, types

from isa.semantics.rounding import NAN32, bits_of, float_of, flush32
from isa.semantics.ufunc import Ufunc, compile_ufunc


@njit(inline="always")
def _fraction(turns):  # type: ignore[no-untyped-def]
    return turns - np.rint(turns) if abs(turns) > 0.5 else turns  # keeps the sign of zero


@njit(inline="always")
def _sine(turns):  # type: ignore[no-untyped-def]
    return np.sin(2 * np.pi * _fraction(turns))


@njit(inline="always")
def _cosine(turns):  # type: ignore[no-untyped-def]
    return np.cos(2 * np.pi * _fraction(turns))


@njit(inline="always")
def _reciprocal(x):  # type: ignore[no-untyped-def]
    return np.divide(1.0, x)


@njit(inline="always")
def _reciprocal_root(x):  # type: ignore[no-untyped-def]
    return np.divide(1.0, np.sqrt(x))


@njit(inline="always")
def _root(x):  # type: ignore[no-untyped-def]
    return np.sqrt(x)


@njit(inline="always")
def _exponential(x):  # type: ignore[no-untyped-def]
    return np.exp2(x)


@njit(inline="always")
def _logarithm(x):  # type: ignore[no-untyped-def]
    return np.log2(x)


@njit(inline="always")
def _tangent(x):  # type: ignore[no-untyped-def]
    return np.tanh(x)


# SIN and COS take turns: the compiler multiplies by 1 / (2 pi) first.
FUNCTIONS = {
    "RCP": _reciprocal,
    "RSQ": _reciprocal_root,
    "SQRT": _root,
    "EX2": _exponential,
    "LG2": _logarithm,
    "SIN": _sine,
    "COS": _cosine,
    "TANH": _tangent,
}


@cache
def special32(name: str) -> Ufunc:
    """MUFU on FP32: uint32 to uint32; denormals are zeros before and after, except for TANH."""
    function = FUNCTIONS[name]
    ftz = name != "TANH"

    def compute(bits):  # type: ignore[no-untyped-def]
        value = types.float32(function(types.float64(float_of(flush32(bits) if ftz else bits))))
        if isnan(value):
            return types.uint32(NAN32)
        return flush32(bits_of(value)) if ftz else bits_of(value)

    return compile_ufunc("uint32(uint32)", compute)


@cache
def special64(name: str) -> Ufunc:
    """The same functions on float64, for the other formats."""
    function = FUNCTIONS[name]

    def compute(value):  # type: ignore[no-untyped-def]
        return function(value)

    return compile_ufunc("float64(float64)", compute)
