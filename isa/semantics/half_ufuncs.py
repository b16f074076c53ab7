"""NumPy ufuncs on FP16 and BF16 bit patterns (uint16), compiled at their first use and kept in Numba's cache."""

from functools import cache
from math import isnan
from typing import Any

from numba import njit, types

from isa.semantics.rounding import (
    NAN16,
    NEAREST,
    bits64_of,
    double_of,
    float_of,
    sum_to_odd,
)
from isa.semantics.ufunc import Ufunc, compile_ufunc

INFINITY16 = {False: 0x7C00, True: 0x7F80}  # by whether the format is BF16


@njit(inline="always")
def widen(bits: Any, bfloat: Any) -> Any:
    """FP16 or BF16 bits (as uint32) to float32, exactly."""
    if bfloat:
        return float_of(bits << types.uint32(16))
    magnitude = float_of((bits & types.uint32(0x7FFF)) << types.uint32(13))
    if bits & types.uint32(0x7C00) == types.uint32(0x7C00):
        magnitude = float_of((bits & types.uint32(0x7FFF)) << types.uint32(13) | types.uint32(0x7F800000))
    else:
        magnitude *= types.float32(2.0**112)  # moves the exponent bias and makes denormals normal
    return -magnitude if bits & types.uint32(0x8000) else magnitude


@njit(inline="always")
def narrow(value: Any, bfloat: Any) -> Any:
    """A float64 to the nearest FP16 or BF16, ties to even; its bits."""
    fraction_bits = 7 if bfloat else 10
    bias = 127 if bfloat else 15
    smallest = 2.0**-126 if bfloat else 2.0**-14
    overflow = 2.0**128 - 2.0**119 if bfloat else 65520.0
    infinity = 0x7F80 if bfloat else 0x7C00
    bits = bits64_of(value)
    sign = bits >> types.uint64(48) & types.uint64(0x8000)
    magnitude = abs(value)
    if isnan(magnitude):
        return types.uint16(NAN16)
    if magnitude >= overflow:
        return types.uint16(sign | types.uint64(infinity))
    # Adding 1.5 * 2**52 quanta and taking them off again rounds to a multiple of the quantum, which is the weight of
    # the result's last fraction bit, at least that of a denormal.
    power = max(double_of(bits & types.uint64(0x7FF0000000000000)), smallest)
    magic = power * (1.5 * 2.0 ** (52 - fraction_bits))
    rounded = (magnitude + magic) - magic
    if rounded < smallest:
        return types.uint16(sign | types.uint64(rounded * (2.0**fraction_bits / smallest)))
    rebias = types.uint64(1023 - bias << fraction_bits)
    return types.uint16(sign | (bits64_of(rounded) >> types.uint64(52 - fraction_bits)) - rebias)


@njit(inline="always")
def flush16(bits: Any, bfloat: Any) -> Any:
    """A denormal replaced by the zero of its sign."""
    exponent = types.uint32(0x7F80) if bfloat else types.uint32(0x7C00)
    return types.uint16(types.uint32(bits) & types.uint32(0x8000)) if types.uint32(bits) & exponent == 0 else bits


@cache
def fused16(bfloat: bool, ftz: bool, saturate: bool, relu: bool) -> Ufunc:
    """HFMA2 on one half: uint16 (a, b, c) to uint16, rounded once to nearest even."""
    one = 0x3F80 if bfloat else 0x3C00
    smallest = 2.0**-126 if bfloat else 2.0**-14

    def fuse(a, b, c):  # type: ignore[no-untyped-def]
        if ftz:
            a, b, c = flush16(a, bfloat), flush16(b, bfloat), flush16(c, bfloat)
        x = types.float64(widen(types.uint32(a), bfloat))
        y = types.float64(widen(types.uint32(b), bfloat))
        z = types.float64(widen(types.uint32(c), bfloat))
        exact = sum_to_odd(x * y, z, NEAREST)  # the product is exact
        bits = narrow(exact, bfloat)
        if ftz and abs(exact) < smallest:
            bits &= types.uint16(0x8000)
        if saturate:
            if bits >= types.uint16(0x8000) or bits == types.uint16(NAN16):
                bits = types.uint16(0)
            bits = min(bits, types.uint16(one))
        if relu and bits >= types.uint16(0x8000):
            bits = types.uint16(0)
        return bits

    return compile_ufunc("uint16(uint16, uint16, uint16)", fuse)


@cache
def widen16(bfloat: bool) -> Ufunc:
    """FP16 or BF16 bits (uint16) to float32, exactly; NaNs keep their payload."""

    def convert(bits):  # type: ignore[no-untyped-def]
        return widen(types.uint32(bits), bfloat)

    return compile_ufunc("float32(uint16)", convert)


@cache
def minimum_maximum16(bfloat: bool) -> Ufunc:
    """HMNMX2 on one half: uint16 (a, b), bool minimum, bool ftz, bool nan; as FMNMX."""
    infinity = INFINITY16[bfloat]

    def select(a, b, minimum, ftz, nan):  # type: ignore[no-untyped-def]
        if ftz:
            a, b = flush16(a, bfloat), flush16(b, bfloat)
        a_nan = types.uint32(a) & types.uint32(0x7FFF) > types.uint32(infinity)
        b_nan = types.uint32(b) & types.uint32(0x7FFF) > types.uint32(infinity)
        key_a = types.int16(a) ^ (types.int16(a) >> 15 & 0x7FFF)
        key_b = types.int16(b) ^ (types.int16(b) >> 15 & 0x7FFF)
        chosen = a if b_nan or (not a_nan and (key_a < key_b) == minimum) else b
        return types.uint16(NAN16) if (a_nan and b_nan) or (nan and (a_nan or b_nan)) else chosen

    return compile_ufunc("uint16(uint16, uint16, boolean, boolean, boolean)", select)
