"""Exact references: floats as fractions, rounded to a format in any mode by definition."""

from fractions import Fraction

NEAREST, DOWN, UP, ZERO = 0, 1, 2, 3

# precision, exponent of the smallest normal number, exponent of the largest
F16 = (11, -14, 15)
BF16 = (8, -126, 127)
F32 = (24, -126, 127)
F64 = (53, -1022, 1023)


def width(form: tuple[int, int, int]) -> int:
    return form[0] + (2 * form[2] + 1).bit_length()


def value(bits: int, form: tuple[int, int, int]) -> Fraction:
    """The value of finite bits."""
    precision, minimum, _ = form
    sign = -1 if bits >> width(form) - 1 else 1
    bits &= (1 << width(form) - 1) - 1
    exponent, fraction = bits >> precision - 1, bits & (1 << precision - 1) - 1
    if exponent:
        fraction |= 1 << precision - 1
    return sign * Fraction(fraction) * Fraction(2) ** (minimum - precision + max(exponent, 1))


def is_finite(bits: int, form: tuple[int, int, int]) -> bool:
    precision, _, maximum = form
    return bits >> precision - 1 & 2 * maximum + 1 != 2 * maximum + 1


def rounded(exact: Fraction, form: tuple[int, int, int], mode: int) -> int:
    """Bits of ``exact`` (not 0) rounded: count the quanta below it, then decide by the mode."""
    precision, minimum, maximum = form
    negative, magnitude = exact < 0, abs(exact)
    exponent = max(_floor_log2(magnitude), minimum)
    quantum = Fraction(2) ** (exponent - precision + 1)
    count, rest = divmod(magnitude / quantum, 1)
    up = (
        rest * 2 > 1 or (rest * 2 == 1 and count % 2 == 1)
        if mode == NEAREST
        else rest != 0 and mode == (DOWN if negative else UP)
    )
    magnitude = (count + up) * quantum
    sign = negative << width(form) - 1
    infinity = (2 * maximum + 1) << precision - 1
    if magnitude >= Fraction(2) ** (maximum + 1):
        to_infinity = mode in (NEAREST, DOWN if negative else UP)
        return sign | (infinity if to_infinity else infinity - 1)
    exponent = max(_floor_log2(magnitude), minimum) if magnitude else minimum
    significand = int(magnitude / Fraction(2) ** (exponent - precision + 1))
    if significand >> precision - 1 == 0:
        return sign | significand
    return sign | (exponent - minimum + 1 << precision - 1) + (significand - (1 << precision - 1))


def _floor_log2(magnitude: Fraction) -> int:
    estimate = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return estimate if magnitude >= Fraction(2) ** estimate else estimate - 1
