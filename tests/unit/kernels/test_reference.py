from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.reference import fma, sum_in_order

# Magnitudes whose products neither overflow float64 nor lose bits below its smallest value.
FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
FLOAT16 = st.floats(width=16, allow_nan=False, allow_infinity=False)
FLOAT64 = st.floats(-(2.0**500), 2.0**500).filter(lambda x: x == 0 or abs(x) > 2.0**-400)


def is_nearest(result: np.floating, exact: Fraction) -> bool:
    """Whether no neighbour of ``result`` is nearer to ``exact``, and a tie went to the even one."""
    if not np.isfinite(result):
        return abs(exact) >= Fraction(float(np.finfo(result.dtype).max))
    distance = abs(Fraction(float(result)) - exact)
    for limit in (np.inf, -np.inf):
        neighbour = np.nextafter(result, result.dtype.type(limit))
        if np.isfinite(neighbour):
            other = abs(Fraction(float(neighbour)) - exact)
            even = int(result.view(f"u{result.itemsize}")) % 2 == 0
            if other < distance or (other == distance and not even):
                return False
    return True


def check(dtype: type, a: float, b: float, c: float) -> None:
    a, b, c = dtype(a), dtype(b), dtype(c)
    with np.errstate(over="ignore"):
        result = fma(a, b, c)[()]
    assert result.dtype == dtype
    assert is_nearest(result, Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))


@given(FLOAT32, FLOAT32, FLOAT32)
def test_fma_rounds_float32_once(a: float, b: float, c: float):
    check(np.float32, a, b, c)


@given(FLOAT16, FLOAT16, FLOAT16)
def test_fma_rounds_float16_once(a: float, b: float, c: float):
    check(np.float16, a, b, c)


@given(FLOAT64, FLOAT64, FLOAT64)
def test_fma_rounds_float64_once(a: float, b: float, c: float):
    check(np.float64, a, b, c)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_fma_keeps_what_a_rounded_product_would_lose(dtype: type):
    x = 1 + np.finfo(dtype).eps
    assert fma(dtype(x), dtype(x), dtype(-(x * x))) == np.finfo(dtype).eps ** 2


def test_a_double_rounding_would_differ():
    # a * b + c lies just above the middle of two float32 values, by less than float64 can hold beside it.
    a, b, c = np.float32(1 + 2.0**-12), np.float32(2.0**-12 - 2.0**-24), np.float32(1)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    assert is_nearest(fma(a, b, c)[()], exact)
    tiny, one, step = np.float32(2.0**-60), np.float32(1), np.float32(1 + 2.0**-23)
    assert fma(tiny, one, step)[()] == step


def test_terms_are_added_one_after_the_other():
    terms = np.array([2.0**24, 1.0, 1.0], np.float32)
    assert sum_in_order(terms) == np.float32(2.0**24)
