"""NumPy ufuncs on floating-point bit patterns, compiled at their first use and kept in Numba's cache.

FP32 arguments and results are uint32, FP64 uint64, FP16 and BF16 uint16. An FP32 result that is not a number is
NVIDIA's canonical NaN; an FP64 one is an operand that is a NaN, made quiet: ``rounding.nan64`` says which.
"""

from functools import cache
from math import isnan

from numba import types

from isa.semantics.rounding import (
    NAN32,
    NEAREST,
    bits64_of,
    bits_of,
    double_of,
    float_of,
    flush32,
    flush_tiny32,
    fused,
    fused64,
    multiply64,
    nan64,
    round_double,
    saturate32,
    sum_to_odd,
)
from isa.semantics.ufunc import Ufunc, compile_ufunc


@cache
def add32(ftz: bool, saturate: bool) -> Ufunc:
    """FADD rounded to nearest even: uint32 (a, b) to uint32."""

    def add(a, b):  # type: ignore[no-untyped-def]
        if ftz:
            a, b = flush32(a), flush32(b)
        total = float_of(a) + float_of(b)
        bits = types.uint32(NAN32) if isnan(total) else bits_of(total)
        if ftz:
            bits = flush32(bits)
        return saturate32(bits) if saturate else bits

    return compile_ufunc("uint32(uint32, uint32)", add)


@cache
def multiply32(ftz: bool, saturate: bool) -> Ufunc:
    """FMUL rounded to nearest even: uint32 (a, b) to uint32."""

    def multiply(a, b):  # type: ignore[no-untyped-def]
        if ftz:
            a, b = flush32(a), flush32(b)
        product = float_of(a) * float_of(b)
        bits = types.uint32(NAN32) if isnan(product) else bits_of(product)
        if ftz:
            bits = flush_tiny32(bits, types.float64(float_of(a)) * types.float64(float_of(b)), NEAREST)
        return saturate32(bits) if saturate else bits

    return compile_ufunc("uint32(uint32, uint32)", multiply)


@cache
def fused32(ftz: bool, saturate: bool) -> Ufunc:
    """FFMA rounded to nearest even: uint32 (a, b, c) to uint32."""

    def fuse(a, b, c):  # type: ignore[no-untyped-def]
        if ftz:
            a, b, c = flush32(a), flush32(b), flush32(c)
        value = fused(float_of(a), float_of(b), float_of(c))
        bits = types.uint32(NAN32) if isnan(value) else bits_of(value)
        if ftz:
            product = types.float64(float_of(a)) * types.float64(float_of(b))
            bits = flush_tiny32(bits, sum_to_odd(product, types.float64(float_of(c)), NEAREST), NEAREST)
        return saturate32(bits) if saturate else bits

    return compile_ufunc("uint32(uint32, uint32, uint32)", fuse)


@cache
def directed32() -> Ufunc:
    """FFMA in any rounding mode: uint32 (a, b, c), int64 mode, bool ftz, bool saturate."""

    def fuse(a, b, c, mode, ftz, saturate):  # type: ignore[no-untyped-def]  # noqa: PLR0917
        if ftz:
            a, b, c = flush32(a), flush32(b), flush32(c)
        product = types.float64(float_of(a)) * types.float64(float_of(b))  # exact
        value = sum_to_odd(product, types.float64(float_of(c)), mode)
        bits = types.uint32(round_double(value, 24, -126, 32, NAN32, mode))
        if ftz:
            bits = flush_tiny32(bits, value, mode)
        return saturate32(bits) if saturate else bits

    return compile_ufunc("uint32(uint32, uint32, uint32, int64, boolean, boolean)", fuse)


@cache
def scaled32() -> Ufunc:
    """FMUL with .M2 to .D8: uint32 (a, b), float64 scale, int64 mode, bool ftz, bool saturate."""

    def multiply(a, b, scale, mode, ftz, saturate):  # type: ignore[no-untyped-def]  # noqa: PLR0917
        if ftz:
            a, b = flush32(a), flush32(b)
        value = types.float64(float_of(a)) * types.float64(float_of(b)) * scale  # exact
        bits = types.uint32(round_double(value, 24, -126, 32, NAN32, mode))
        if ftz:
            bits = flush_tiny32(bits, value, mode)
        return saturate32(bits) if saturate else bits

    return compile_ufunc("uint32(uint32, uint32, float64, int64, boolean, boolean)", multiply)


@cache
def add64() -> Ufunc:
    """DADD rounded to nearest even: uint64 (a, b)."""

    def add(a, b):  # type: ignore[no-untyped-def]
        total = double_of(a) + double_of(b)
        return nan64(a, b, b) if isnan(total) else bits64_of(total)

    return compile_ufunc("uint64(uint64, uint64)", add)


@cache
def multiply64_nearest() -> Ufunc:
    """DMUL rounded to nearest even: uint64 (a, b)."""

    def multiply(a, b):  # type: ignore[no-untyped-def]
        product = double_of(a) * double_of(b)
        return nan64(a, b, b) if isnan(product) else bits64_of(product)

    return compile_ufunc("uint64(uint64, uint64)", multiply)


@cache
def fused64_nearest() -> Ufunc:
    """DFMA rounded to nearest even: uint64 (a, b, c)."""

    def fuse(a, b, c):  # type: ignore[no-untyped-def]
        value = fused(double_of(a), double_of(b), double_of(c))
        return nan64(a, b, c) if isnan(value) else bits64_of(value)

    return compile_ufunc("uint64(uint64, uint64, uint64)", fuse)


@cache
def directed_multiply64() -> Ufunc:
    """DMUL in any rounding mode: uint64 (a, b), int64 mode."""

    def multiply(a, b, mode):  # type: ignore[no-untyped-def]
        return multiply64(a, b, mode)

    return compile_ufunc("uint64(uint64, uint64, int64)", multiply)


@cache
def directed64() -> Ufunc:
    """DFMA in any rounding mode: uint64 (a, b, c), int64 mode."""

    def fuse(a, b, c, mode):  # type: ignore[no-untyped-def]
        return fused64(a, b, c, mode)

    return compile_ufunc("uint64(uint64, uint64, uint64, int64)", fuse)


@cache
def minimum_maximum32() -> Ufunc:
    """FMNMX: uint32 (a, b), bool minimum, bool ftz, bool nan: -0 is less than +0; NaN gives the other operand.

    Two NaNs give the canonical NaN, and with ``nan`` so does one.
    """

    def select(a, b, minimum, ftz, nan):  # type: ignore[no-untyped-def]
        if ftz:
            a, b = flush32(a), flush32(b)
        a_nan = a & types.uint32(0x7FFFFFFF) > types.uint32(0x7F800000)
        b_nan = b & types.uint32(0x7FFFFFFF) > types.uint32(0x7F800000)
        # As signed integers with the magnitude of negative numbers turned round, floats are in order.
        key_a = types.int32(a) ^ (types.int32(a) >> 31 & types.int32(0x7FFFFFFF))
        key_b = types.int32(b) ^ (types.int32(b) >> 31 & types.int32(0x7FFFFFFF))
        chosen = a if b_nan or (not a_nan and (key_a < key_b) == minimum) else b
        return types.uint32(NAN32) if (a_nan and b_nan) or (nan and (a_nan or b_nan)) else chosen

    return compile_ufunc("uint32(uint32, uint32, boolean, boolean, boolean)", select)


@cache
def change_sign64() -> Ufunc:
    """uint64 bits, bool absolute, bool negate: a number's sign changed; NaNs stay as they are."""

    def change(bits, absolute, negate):  # type: ignore[no-untyped-def]
        if bits & types.uint64(0x7FFFFFFFFFFFFFFF) > types.uint64(0x7FF0000000000000):
            return bits
        if absolute:
            bits &= types.uint64(0x7FFFFFFFFFFFFFFF)
        return bits ^ types.uint64(negate) << types.uint64(63)

    return compile_ufunc("uint64(uint64, boolean, boolean)", change)
