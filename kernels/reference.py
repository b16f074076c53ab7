"""Arithmetic that NumPy lacks, for references that are exact to the bit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Veltkamp's constant: splits a double into two halves of 26 bits.
_SPLITTER = float(2**27 + 1)


def fma(a: Any, b: Any, c: Any) -> NDArray[Any]:
    """``a * b + c`` rounded once, to nearest even, as FFMA, DFMA and HFMA2 do; broadcasts.

    All three have one dtype: float16, float32 or float64. Exact as long as the product of float64 operands neither
    overflows nor has bits below 2**-1074.
    """
    a, b, c = np.asarray(a), np.asarray(b), np.asarray(c)
    if a.dtype == np.float64:
        return _fma64(a, b, c)
    # The product of two float32 is exact in float64. A sum rounded to odd keeps enough of what was cut off for the
    # second rounding, to float32, to come out as if it were the only one (53 >= 2 * 24 + 2 bits).
    product = a.astype(np.float64) * b.astype(np.float64)
    return _add_to_odd(product, c.astype(np.float64)).astype(a.dtype)


def sum_in_order(terms: NDArray[Any]) -> NDArray[Any]:
    """``0 + terms[0] + terms[1] + ...`` along the first axis, rounded after each addition (np.sum adds pairwise)."""
    total = np.zeros(terms.shape[1:], terms.dtype)
    for term in terms:
        total = total + term
    return total


def _two_sum(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """``a + b`` rounded, and its rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """``a * b`` rounded, and its rounding error (Dekker)."""
    product = a * b
    a_scaled, b_scaled = a * _SPLITTER, b * _SPLITTER
    a_high, b_high = a_scaled - (a_scaled - a), b_scaled - (b_scaled - b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _add_to_odd(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """``a + b`` where an inexact sum takes the neighbour whose last bit is 1."""
    total, error = _two_sum(a, b)
    bits = np.asarray(total).view(np.int64)
    step_back = np.asarray((error < 0) == (total > 0))  # the true sum is closer to 0 than the rounded one
    odd = np.where((error != 0) & (bits & 1 == 0), bits + np.where(step_back, -1, 1), bits)
    return odd.view(np.float64)


def _fma64(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any]) -> NDArray[Any]:
    """Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008)."""
    high, low = _two_product(a, b)
    upper, lower = _two_sum(c, low)
    total, error = _two_sum(high, upper)
    return np.asarray(total + _add_to_odd(error, lower))
