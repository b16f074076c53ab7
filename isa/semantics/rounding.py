"""Exact floating-point cores that Numba compiles: bit casts, fused multiply-add, rounding to any format and mode.

Everything works on bit patterns, so that NaN payloads and signs never depend on the host. A format is its precision in
bits (hidden bit included) and the exponent of its smallest normal number; both are compile-time constants at every use.
"""

from math import isnan
from typing import Any

from llvmlite import ir
from numba import extending, njit, types

# Numba gives the functions that it replaces by LLVM instructions the type of their Python stand-ins.
intrinsic: Any = extending.intrinsic

NEAREST, DOWN, UP, ZERO = 0, 1, 2, 3
MODES = {"RM": DOWN, "RP": UP, "RZ": ZERO}

# precision, exponent of the smallest normal number, width in bits
F16_FORMAT = (11, -14, 16)
BF16_FORMAT = (8, -126, 16)
F32_FORMAT = (24, -126, 32)
F64_FORMAT = (53, -1022, 64)

NAN16 = 0x7FFF
NAN32 = 0x7FFFFFFF
NAN64 = 0xFFF8000000000000


def _cast(source: Any, target: Any, llvm_target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], llvm_target)

    return target(source), generate


@intrinsic
def float_of(typing_context: Any, bits: Any) -> Any:
    """The float32 with these bits."""
    return _cast(types.uint32, types.float32, ir.FloatType())


@intrinsic
def bits_of(typing_context: Any, value: Any) -> Any:
    """The bits of a float32."""
    return _cast(types.float32, types.uint32, ir.IntType(32))


@intrinsic
def double_of(typing_context: Any, bits: Any) -> Any:
    """The float64 with these bits."""
    return _cast(types.uint64, types.float64, ir.DoubleType())


@intrinsic
def bits64_of(typing_context: Any, value: Any) -> Any:
    """The bits of a float64."""
    return _cast(types.float64, types.uint64, ir.IntType(64))


@intrinsic
def fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` rounded once, to nearest even, for three float32 or three float64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return a(a, a, a), generate


@intrinsic
def leading_zeros(typing_context: Any, value: Any) -> Any:
    """Leading zero bits of a uint64; 64 for zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@njit(inline="always")
def flush32(bits: Any) -> Any:
    """FP32 bits, a denormal replaced by the zero of its sign."""
    return bits & types.uint32(0x80000000) if bits & types.uint32(0x7F800000) == 0 else bits


@njit(inline="always")
def nan64(a: Any, b: Any, c: Any) -> Any:
    """The NaN that an FP64 operation gives: the first of ``b``, ``c``, ``a`` that is one, made quiet, or the default.

    The order is the one seen on an H100; without ``c`` (DADD, DMUL) pass ``b`` twice.
    """
    infinity = types.uint64(0x7FF0000000000000)
    magnitude = types.uint64(0x7FFFFFFFFFFFFFFF)
    quiet = types.uint64(1) << types.uint64(51)
    if b & magnitude > infinity:
        return b | quiet
    if c & magnitude > infinity:
        return c | quiet
    if a & magnitude > infinity:
        return a | quiet
    return types.uint64(NAN64)


@njit(inline="always")
def saturate32(bits: Any) -> Any:
    """FP32 bits clamped to [+0, 1]; NaN gives +0."""
    if bits > types.uint32(0x7F800000):  # negative or NaN
        return types.uint32(0)
    return min(bits, types.uint32(0x3F800000))


@njit
def round_pack(  # noqa: PLR0917
    negative: Any, exponent: Any, significand: Any, precision: Any, minimum: Any, width: Any, mode: Any
) -> Any:
    """Round ``significand * 2**exponent`` (uint64, not 0; bit 0 may be sticky) to a format; its bits as uint64.

    Overflow gives infinity or the largest finite number as ``mode`` asks; results below ``2**minimum`` are denormal.
    """
    shift = leading_zeros(significand)
    significand = significand << shift
    exponent = exponent - types.int64(shift) + 63  # of the leading bit
    keep = types.int64(precision)
    if exponent < minimum:
        keep = keep - (minimum - exponent)
    if keep <= 0:
        quotient = types.uint64(0)
        # Above, at or below half of the smallest denormal.
        half = types.uint64(1) << types.uint64(63)
        above = keep == 0 and significand > half
        tie = keep == 0 and significand == half
        inexact = True
    else:
        drop = types.uint64(64 - keep)
        quotient = significand >> drop
        rest = significand & ((types.uint64(1) << drop) - types.uint64(1))
        half = types.uint64(1) << (drop - types.uint64(1))
        above = rest > half
        tie = rest == half
        inexact = rest != 0
    if mode == NEAREST:
        if above or (tie and quotient & types.uint64(1) == types.uint64(1)):
            quotient += types.uint64(1)
    elif inexact and ((mode == UP and not negative) or (mode == DOWN and negative)):
        quotient += types.uint64(1)
    bits = quotient
    if exponent >= minimum:
        bits += types.uint64(exponent - minimum) << types.uint64(precision - 1)
    infinity = types.uint64(3 - 2 * minimum) << types.uint64(precision - 1)
    if bits >= infinity:
        toward_zero = mode == ZERO or (mode == UP and negative) or (mode == DOWN and not negative)
        bits = infinity - types.uint64(1) if toward_zero else infinity
    if negative:
        bits |= types.uint64(1) << types.uint64(width - 1)
    return bits


@njit
def round_double(  # noqa: PLR0917
    value: Any, precision: Any, minimum: Any, width: Any, nan: Any, mode: Any
) -> Any:
    """Round a float64 to a format; its bits as uint64. NaN gives ``nan``, with ``nan`` 0 its own payload, quiet."""
    bits = bits64_of(value)
    negative = bits >> types.uint64(63) != 0
    fraction = bits & types.uint64(0x000FFFFFFFFFFFFF)
    biased = types.int64(bits >> types.uint64(52) & types.uint64(0x7FF))
    sign = types.uint64(negative) << types.uint64(width - 1)
    if biased == 0x7FF:
        if fraction != 0 and nan != 0:
            return types.uint64(nan)
        if fraction != 0:
            payload = fraction >> types.uint64(53 - precision) | types.uint64(1) << types.uint64(precision - 2)
            return sign | types.uint64(3 - 2 * minimum) << types.uint64(precision - 1) | payload
        return sign | types.uint64(3 - 2 * minimum) << types.uint64(precision - 1)
    if biased == 0:
        if fraction == 0:
            return sign
        biased = 1
    else:
        fraction |= types.uint64(1) << types.uint64(52)
    return round_pack(negative, biased - 1075, fraction, precision, minimum, width, mode)


@njit
def flush_tiny32(bits: Any, exact: Any, mode: Any) -> Any:
    """A rounded FP32 result, flushed when it were below the smallest normal number had exponents no least value.

    So an H100 has it: -2**-126 + 2**-252 stays, 2**-126 - 2**-150 is 0.
    """
    if bits & types.uint32(0x7FFFFFFF) != types.uint32(0x00800000):
        return flush32(bits)
    farther = types.uint32(round_double(exact * 2.0**64, 24, -126, 32, NAN32, mode)) & types.uint32(0x7FFFFFFF)
    return bits if farther >= types.uint32((127 - 126 + 64) << 23) else bits & types.uint32(0x80000000)


@njit
def sum_to_odd(x: Any, y: Any, mode: Any) -> Any:
    """``x + y`` in float64, rounded to odd: rounding it again to at most 51 bits rounds the exact sum.

    An exact zero from opposite signs is -0 when ``mode`` rounds down. Exact as long as nothing overflows.
    """
    total = x + y
    if total == 0.0:
        if mode == DOWN and bits64_of(x) >> types.uint64(63) != bits64_of(y) >> types.uint64(63):
            return -0.0
        return total
    if total - total != 0.0:  # infinite or NaN
        return total
    # Knuth's two-sum: x + y = total + error exactly.
    other = total - x
    error = (x - (total - other)) + (y - other)
    if error == 0.0:
        return total
    bits = bits64_of(total)
    if bits & types.uint64(1) == 0:
        if (error > 0.0) == (total > 0.0):
            bits += types.uint64(1)
        else:
            bits -= types.uint64(1)
    return double_of(bits)


@njit
def _multiply_wide(a: Any, b: Any) -> Any:
    """The 128-bit product of two uint64 as (high, low)."""
    mask = types.uint64(0xFFFFFFFF)
    half = types.uint64(32)
    low = (a & mask) * (b & mask)
    middle1 = (a >> half) * (b & mask)
    middle2 = (a & mask) * (b >> half)
    carry = (low >> half) + (middle1 & mask) + (middle2 & mask)
    high = (a >> half) * (b >> half) + (middle1 >> half) + (middle2 >> half) + (carry >> half)
    return high, (carry << half) | (low & mask)


@njit
def _shift_right_sticky(high: Any, low: Any, distance: Any) -> Any:
    """A 128-bit value shifted right; bits that fall out are or-ed into bit 0."""
    if distance == 0:
        return high, low
    if distance >= 128:
        return types.uint64(0), types.uint64((high | low) != 0)
    if distance >= 64:
        d = types.uint64(distance - 64)
        lost = low
        if d != 0:
            lost |= high << (types.uint64(64) - d)
        return types.uint64(0), high >> d | types.uint64(lost != 0)
    d = types.uint64(distance)
    lost = low << (types.uint64(64) - d)
    return high >> d, (high << (types.uint64(64) - d)) | (low >> d) | types.uint64(lost != 0)


@njit
def _parts(bits: Any) -> Any:
    """Significand and exponent of finite float64 bits: value = significand * 2**exponent."""
    fraction = bits & types.uint64(0x000FFFFFFFFFFFFF)
    biased = types.int64(bits >> types.uint64(52) & types.uint64(0x7FF))
    if biased == 0:
        return fraction, types.int64(-1074)
    return fraction | types.uint64(1) << types.uint64(52), biased - types.int64(1075)


@njit
def _pack_wide(negative: Any, exponent: Any, high: Any, low: Any, mode: Any) -> Any:
    """Round ``(high, low) * 2**exponent`` (not 0) to float64 bits."""
    if high == 0:
        return round_pack(negative, exponent, low, 53, -1022, 64, mode)
    shift = leading_zeros(high)
    if shift != 0:
        high = high << shift | low >> (types.uint64(64) - shift)
        low = low << shift
    significand = high | types.uint64(low != 0)
    return round_pack(negative, exponent + 64 - types.int64(shift), significand, 53, -1022, 64, mode)


@njit
def multiply64(a: Any, b: Any, mode: Any) -> Any:
    """FP64 product of bit patterns in any rounding mode."""
    product = double_of(a) * double_of(b)
    sign = (a ^ b) >> types.uint64(63)
    if isnan(product):
        return nan64(a, b, b)
    infinite = types.uint64(0x7FF0000000000000)
    magnitude = types.uint64(0x7FFFFFFFFFFFFFFF)
    if a & magnitude == infinite or b & magnitude == infinite or a & magnitude == 0 or b & magnitude == 0:
        return bits64_of(product)
    significand_a, exponent_a = _parts(a)
    significand_b, exponent_b = _parts(b)
    high, low = _multiply_wide(significand_a, significand_b)
    return _pack_wide(sign != 0, exponent_a + exponent_b, high, low, mode)


@njit
def fused64(a: Any, b: Any, c: Any, mode: Any) -> Any:
    """FP64 ``a * b + c`` of bit patterns with one rounding in any mode, in integer arithmetic."""
    infinite = types.uint64(0x7FF0000000000000)
    magnitude = types.uint64(0x7FFFFFFFFFFFFFFF)
    if a & magnitude >= infinite or b & magnitude >= infinite or c & magnitude >= infinite:
        value = double_of(a) * double_of(b) + double_of(c)
        if a & magnitude < infinite and b & magnitude < infinite:
            value = double_of(c)  # the product may have overflowed, which the fused operation does not see
        return nan64(a, b, c) if isnan(value) else bits64_of(value)
    product_sign = (a ^ b) >> types.uint64(63)
    c_sign = c >> types.uint64(63)
    significand_a, exponent_a = _parts(a)
    significand_b, exponent_b = _parts(b)
    significand_c, exponent_c = _parts(c)
    if significand_a == 0 or significand_b == 0:
        if significand_c != 0:
            return c
        if product_sign == c_sign:
            return c
        return types.uint64(mode == DOWN) << types.uint64(63)
    if significand_c == 0:
        return multiply64(a, b, mode)
    # Both at bit 125 or 126 of 128, so that a carry fits and the sticky bit stays below every rounding position.
    shift_a = leading_zeros(significand_a)
    shift_b = leading_zeros(significand_b)
    high, low = _multiply_wide(significand_a << (shift_a - types.uint64(1)), significand_b << shift_b)
    exponent = exponent_a - types.int64(shift_a) + types.int64(1) + exponent_b - types.int64(shift_b)
    shift_c = leading_zeros(significand_c)
    c_high = significand_c << (shift_c - types.uint64(2))
    c_low = types.uint64(0)
    exponent_c = exponent_c - types.int64(shift_c) + types.int64(2) - types.int64(64)
    # Make room for the carry.
    high, low = _shift_right_sticky(high, low, 1)
    exponent += 1
    if exponent > exponent_c:
        c_high, c_low = _shift_right_sticky(c_high, c_low, exponent - exponent_c)
    else:
        high, low = _shift_right_sticky(high, low, exponent_c - exponent)
        exponent = exponent_c
    if product_sign == c_sign:
        total = low + c_low
        high = high + c_high + types.uint64(total < low)
        return _pack_wide(product_sign != 0, exponent, high, total, mode)
    if high == c_high and low == c_low:
        return types.uint64(mode == DOWN) << types.uint64(63)
    sign = product_sign
    if high < c_high or (high == c_high and low < c_low):
        high, low, c_high, c_low = c_high, c_low, high, low
        sign = c_sign
    borrow = types.uint64(low < c_low)
    return _pack_wide(sign != 0, exponent, high - c_high - borrow, low - c_low, mode)
