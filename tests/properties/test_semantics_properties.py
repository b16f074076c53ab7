"""The compiled arithmetic against exact fractions, Python's integers and NumPy, for random operands."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.semantics import convert_ufuncs, float_ufuncs, half_ufuncs
from isa.semantics.logic import truth_table
from isa.semantics.rounding import NAN16, NAN32
from tests import exact_floats as exact


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Compile what the tests use, so that no example waits for it."""
    for ftz, saturate in ((False, False), (True, False), (True, True)):
        float_ufuncs.fused32(ftz, saturate)
    float_ufuncs.add32(False, False)
    float_ufuncs.multiply32(False, False)
    float_ufuncs.minimum_maximum32()
    float_ufuncs.directed32()
    float_ufuncs.directed64()
    float_ufuncs.directed_multiply64()
    float_ufuncs.fused64_nearest()
    for target in ("F16", "BF16", "F32", "F64"):
        convert_ufuncs.round_float(target)
        convert_ufuncs.round_integer(target)
    for bfloat in (False, True):
        half_ufuncs.fused16(bfloat, False, False, False)
        half_ufuncs.widen16(bfloat)


SMALLEST_NORMAL = 0x00800000
MODES = (exact.NEAREST, exact.DOWN, exact.UP, exact.ZERO)
modes = st.sampled_from(MODES)


def floats(form: tuple[int, int, int]) -> st.SearchStrategy[int]:
    """Bits of a format: anything, or a magnitude near 1, or next to a power of two."""
    precision, _, maximum = form
    width = exact.width(form)
    near_one = st.builds(
        lambda sign, exponent, fraction: sign << width - 1 | maximum + exponent << precision - 1 | fraction,
        st.integers(0, 1),
        st.integers(-8, 8),
        st.sampled_from([0, 1, (1 << precision - 1) - 1]) | st.integers(0, (1 << precision - 1) - 1),
    )
    powers = st.builds(
        lambda sign, power, step: (sign << width - 1) + max((power << precision - 1) + step, 0),
        st.integers(0, 1),
        st.integers(0, 2 * maximum + 1),
        st.integers(-1, 1),
    )
    return st.integers(0, (1 << width) - 1) | near_one | powers


def fused_reference(a: int, b: int, c: int, form: tuple[int, int, int], mode: int, *, scale: int = 1) -> int:
    """``(a * b + c) * scale`` for finite operands."""
    total = (exact.value(a, form) * exact.value(b, form) + exact.value(c, form)) * scale
    if total != 0:
        return exact.rounded(total, form, mode)
    top = exact.width(form) - 1
    sign_product, sign_c = (a ^ b) >> top, c >> top
    sign = sign_product if sign_product == sign_c else int(mode == exact.DOWN)
    return sign << top


def array(bits: int, dtype: type) -> np.ndarray:
    return np.array([bits], dtype)


@given(a=floats(exact.F32), b=floats(exact.F32), c=floats(exact.F32), mode=modes)
def test_ffma_is_rounded_once(a: int, b: int, c: int, mode: int) -> None:
    operands = [array(x, np.uint32) for x in (a, b, c)]
    with np.errstate(all="ignore"):
        result = int(float_ufuncs.directed32()(*operands, mode, False, False)[0])
        nearest = int(float_ufuncs.fused32(False, False)(*operands)[0])
    if all(exact.is_finite(x, exact.F32) for x in (a, b, c)):
        assert result == fused_reference(a, b, c, exact.F32, mode)
        assert nearest == fused_reference(a, b, c, exact.F32, exact.NEAREST)
    if mode == exact.NEAREST:
        assert result == nearest


@given(a=floats(exact.F64), b=floats(exact.F64), c=floats(exact.F64), mode=modes)
def test_dfma_is_rounded_once(a: int, b: int, c: int, mode: int) -> None:
    operands = [array(x, np.uint64) for x in (a, b, c)]
    with np.errstate(all="ignore"):
        result = int(float_ufuncs.directed64()(*operands, mode)[0])
        nearest = int(float_ufuncs.fused64_nearest()(*operands)[0])
    if all(exact.is_finite(x, exact.F64) for x in (a, b, c)):
        assert result == fused_reference(a, b, c, exact.F64, mode)
    if mode == exact.NEAREST:
        assert result == nearest


@given(a=floats(exact.F64), b=floats(exact.F64), error=st.integers(-3, 3), mode=modes)
def test_dfma_keeps_the_rounding_error_of_a_product(a: int, b: int, error: int, mode: int) -> None:
    """``a * b - round(a * b)``, and its neighbours: nearly everything cancels."""
    with np.errstate(all="ignore"):
        product = array(a, np.uint64).view(np.float64) * array(b, np.uint64).view(np.float64)
        c = max(int((-product).view(np.uint64)[0]) + error, 0) & (1 << 64) - 1
        if not all(exact.is_finite(x, exact.F64) for x in (a, b, c)):
            return
        result = float_ufuncs.directed64()(*(array(x, np.uint64) for x in (a, b, c)), mode)
    assert int(result[0]) == fused_reference(a, b, c, exact.F64, mode)


@given(a=floats(exact.F64), b=floats(exact.F64), mode=modes)
def test_dmul_is_rounded_once(a: int, b: int, mode: int) -> None:
    with np.errstate(all="ignore"):
        result = int(float_ufuncs.directed_multiply64()(array(a, np.uint64), array(b, np.uint64), mode)[0])
    if exact.is_finite(a, exact.F64) and exact.is_finite(b, exact.F64):
        product = exact.value(a, exact.F64) * exact.value(b, exact.F64)
        sign = (a ^ b) >> 63 << 63
        assert result == (exact.rounded(product, exact.F64, mode) if product else sign)


@pytest.mark.parametrize("bfloat", [False, True])
@given(data=st.data())
def test_hfma2_is_rounded_once(bfloat: bool, data: st.DataObject) -> None:
    form = exact.BF16 if bfloat else exact.F16
    a, b, c = (data.draw(floats(form)) for _ in range(3))
    with np.errstate(all="ignore"):
        result = half_ufuncs.fused16(bfloat, False, False, False)(*(array(x, np.uint16) for x in (a, b, c)))
    if all(exact.is_finite(x, form) for x in (a, b, c)):
        assert int(result[0]) == fused_reference(a, b, c, form, exact.NEAREST)
    elif np.isnan(half_ufuncs.widen16(bfloat)(result))[0]:
        assert int(result[0]) == NAN16


@given(a=floats(exact.F32), b=floats(exact.F32), c=floats(exact.F32), saturate=st.booleans())
def test_ftz_flushes_operands_and_results(a: int, b: int, c: int, saturate: bool) -> None:
    def flushed(bits: int) -> int:
        return bits if bits & 0x7F800000 else bits & 0x80000000

    operands = [flushed(x) for x in (a, b, c)]
    plain, ftz = float_ufuncs.fused32(False, False), float_ufuncs.fused32(True, saturate)
    with np.errstate(all="ignore"):
        expected = int(plain(*(array(x, np.uint32) for x in operands))[0])
        result = int(ftz(*(array(x, np.uint32) for x in (a, b, c)))[0])
    if expected & 0x7FFFFFFF <= SMALLEST_NORMAL and all(exact.is_finite(x, exact.F32) for x in operands):
        farther = fused_reference(*operands, exact.F32, exact.NEAREST, scale=2**64)
        expected &= 0x80000000 if farther & 0x7FFFFFFF < SMALLEST_NORMAL + (64 << 23) else 0xFFFFFFFF
    if saturate:
        number = array(expected, np.uint32).view(np.float32)[0]
        expected = int(
            np.clip(0.0 if np.isnan(number) or number <= 0 else number, 0, 1).astype(np.float32).view(np.uint32)
        )
    assert result == expected


@given(a=floats(exact.F32), b=floats(exact.F32))
def test_results_are_numbers_or_the_canonical_nan(a: int, b: int) -> None:
    with np.errstate(all="ignore"):
        for ufunc in (float_ufuncs.add32(False, False), float_ufuncs.multiply32(False, False)):
            result = ufunc(array(a, np.uint32), array(b, np.uint32))
            assert not np.isnan(result.view(np.float32))[0] or int(result[0]) == NAN32


@given(bits=floats(exact.F64), mode=modes, target=st.sampled_from(["F16", "BF16", "F32"]))
def test_f2f_rounds_in_every_mode(bits: int, mode: int, target: str) -> None:
    form = {"F16": exact.F16, "BF16": exact.BF16, "F32": exact.F32}[target]
    number = array(bits, np.uint64).view(np.float64)
    result = int(convert_ufuncs.round_float(target)(number, mode)[0])
    if exact.is_finite(bits, exact.F64):
        exactly = exact.value(bits, exact.F64)
        zero = (bits >> 63) << exact.width(form) - 1
        assert result == (exact.rounded(exactly, form, mode) if exactly else zero)


@given(
    magnitude=st.integers(0, (1 << 64) - 1) | st.integers(0, 63).map(lambda i: (1 << i) + 1),
    negative=st.booleans(),
    mode=modes,
    target=st.sampled_from(["F16", "BF16", "F32", "F64"]),
)
def test_i2f_rounds_in_every_mode(magnitude: int, negative: bool, mode: int, target: str) -> None:
    form = {"F16": exact.F16, "BF16": exact.BF16, "F32": exact.F32, "F64": exact.F64}[target]
    result = convert_ufuncs.round_integer(target)(array(magnitude, np.uint64), np.array([negative]), mode)
    number = Fraction(-magnitude if negative else magnitude)
    assert int(result[0]) == (exact.rounded(number, form, mode) if magnitude else 0)


@given(a=floats(exact.F32), b=floats(exact.F32), minimum=st.booleans(), nan=st.booleans())
def test_fmnmx_orders_zeros_and_prefers_numbers(a: int, b: int, minimum: bool, nan: bool) -> None:
    select = float_ufuncs.minimum_maximum32()
    result = int(select(array(a, np.uint32), array(b, np.uint32), np.array([minimum]), False, nan)[0])
    x, y = (array(bits, np.uint32).view(np.float32)[0] for bits in (a, b))
    if (np.isnan(x) and np.isnan(y)) or (nan and (np.isnan(x) or np.isnan(y))):
        assert result == NAN32
    elif np.isnan(x) or np.isnan(y):
        assert result == (b if np.isnan(x) else a)
    else:
        keys = {bits: (number, not bits >> 31) for bits, number in ((a, x), (b, y))}
        assert result == (min if minimum else max)((a, b), key=keys.__getitem__)


@settings(max_examples=300)
@given(table=st.integers(0, 255), words=st.tuples(*[st.integers(0, (1 << 32) - 1)] * 3))
def test_truth_table_is_its_table(table: int, words: tuple[int, int, int]) -> None:
    result = int(truth_table(table)(*(array(word, np.uint32) for word in words))[0])
    for bit in range(32):
        a, b, c = (word >> bit & 1 for word in words)
        assert result >> bit & 1 == table >> 4 * a + 2 * b + c & 1
