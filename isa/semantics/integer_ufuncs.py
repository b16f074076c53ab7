"""NumPy ufuncs for integer instructions that would take many array operations, compiled at their first use."""

from functools import cache

import numpy as np
from numba import types

from isa.semantics.rounding import DOWN, UP, ZERO
from isa.semantics.ufunc import Ufunc, compile_ufunc


@cache
def permute() -> Ufunc:
    """PRMT: uint32 (a, b, c): the bytes of ``{c:a}`` that the four selectors of b name, sign copies included."""

    def pick(a, b, c):  # type: ignore[no-untyped-def]
        value = types.uint64(c) << types.uint64(32) | types.uint64(a)
        result = types.uint32(0)
        for i in range(4):
            selector = b >> types.uint32(4 * i)
            byte = types.uint32(value >> types.uint64(8 * (selector & types.uint32(7)))) & types.uint32(0xFF)
            if selector & types.uint32(8):
                byte = (byte >> types.uint32(7)) * types.uint32(0xFF)
            result |= byte << types.uint32(8 * i)
        return result

    return compile_ufunc("uint32(uint32, uint32, uint32)", pick)


@cache
def funnel_shift(left: bool, signed: bool) -> Ufunc:
    """uint32 low, uint32 distance (at most 64), uint32 high to the 64 bits ``{high:low}`` shifted."""

    def shift(low, distance, high):  # type: ignore[no-untyped-def]
        value = types.uint64(high) << types.uint64(32) | types.uint64(low)
        if left:
            return value << types.uint64(distance) if distance < 64 else types.uint64(0)
        if signed:
            return types.uint64(types.int64(value) >> types.int64(min(distance, types.uint32(63))))
        return value >> types.uint64(distance) if distance < 64 else types.uint64(0)

    return compile_ufunc("uint64(uint32, uint32, uint32)", shift)


@cache
def multiply_add_high(signed: bool) -> Ufunc:
    """The high word of ``a * b + {c_high:c_low}``, all uint32."""

    def high(a, b, c_low, c_high):  # type: ignore[no-untyped-def]
        if signed:
            product = types.uint64(types.int64(types.int32(a)) * types.int64(types.int32(b)))
        else:
            product = types.uint64(a) * types.uint64(b)
        total = product + (types.uint64(c_high) << types.uint64(32) | types.uint64(c_low))
        return types.uint32(total >> types.uint64(32))

    return compile_ufunc("uint32(uint32, uint32, uint32, uint32)", high)


@cache
def from_float(name: str, nan: int) -> Ufunc:
    """F2I: float64 value, int64 rounding mode, to the saturated integer (a NumPy type's name) as uint64.

    Signed results are sign-extended, ``nan`` too.
    """
    limits = np.iinfo(name)
    largest, smallest, signed = int(limits.max), int(limits.min), bool(limits.min)
    nan_bits = nan | (-1 << limits.bits) & (1 << 64) - 1 if signed and nan else nan
    # The powers of two beyond the range are exact as doubles.
    above, below = float(largest + 1), float(smallest)

    def convert(value, mode):  # type: ignore[no-untyped-def]
        if np.isnan(value):
            return types.uint64(nan_bits)
        if mode == DOWN:
            value = np.floor(value)
        elif mode == UP:
            value = np.ceil(value)
        elif mode == ZERO:
            value = np.trunc(value)
        else:
            value = np.rint(value)
        if value >= above:
            return types.uint64(largest)
        if value <= below:
            return types.uint64(smallest)
        return types.uint64(types.int64(value)) if signed else types.uint64(value)

    return compile_ufunc("uint64(float64, int64)", convert)
