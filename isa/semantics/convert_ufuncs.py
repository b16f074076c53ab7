"""NumPy ufuncs that round floats and integers to a floating-point format, compiled at their first use."""

from functools import cache

from numba import types

from isa.semantics.rounding import NAN16, NAN32, round_double, round_pack
from isa.semantics.ufunc import Ufunc, compile_ufunc

# By format: precision, exponent of the smallest normal number, width, canonical NaN.
_FORMATS = {
    "F16": (11, -14, 16, NAN16),
    "BF16": (8, -126, 16, NAN16),
    "F32": (24, -126, 32, NAN32),
    "F64": (53, -1022, 64, 0xFFF8000000000000),
}


@cache
def round_float(target: str, keep_payload: bool = False) -> Ufunc:
    """float64 value, int64 mode, to the bits of ``target`` as uint32; NaN gives the canonical NaN or a quiet one."""
    precision, minimum, width, canonical = _FORMATS[target]
    nan = 0 if keep_payload else canonical

    def convert(value, mode):  # type: ignore[no-untyped-def]
        return types.uint32(round_double(value, precision, minimum, width, nan, mode))

    return compile_ufunc("uint32(float64, int64)", convert)


@cache
def round_integer(target: str) -> Ufunc:
    """uint64 magnitude, bool negative, int64 mode, to the bits of ``target`` as uint64."""
    precision, minimum, width, _ = _FORMATS[target]

    def convert(magnitude, negative, mode):  # type: ignore[no-untyped-def]
        if magnitude == 0:
            return types.uint64(0)
        return round_pack(negative, types.int64(0), magnitude, precision, minimum, width, mode)

    return compile_ufunc("uint64(uint64, boolean, int64)", convert)
