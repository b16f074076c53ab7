"""Atomic read-modify-write loops. Lanes take their turn in ascending order, warp by warp: each sees the one before.

Which warp begins is told for integers: of warps that compare and swap the same word only the first swaps.
"""

from typing import Any

import numba
import numpy as np

from isa.compiled import compiled

ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS, CAST = range(11)


@numba.njit
def _combine(op: int, signed: bool, old: Any, value: Any, compare: Any) -> Any:
    """The new value; all uint64. For ``signed`` the operands are sign-extended."""
    if op == ADD:
        return old + value
    if op in (MIN, MAX):
        less = np.int64(old) < np.int64(value) if signed else old < value
        return old if less == (op == MIN) else value
    if op == INC:
        return np.uint64(0) if old >= value else old + np.uint64(1)
    if op == DEC:
        return value if old == np.uint64(0) or old > value else old - np.uint64(1)
    if op == AND:
        return old & value
    if op == OR:
        return old | value
    if op == XOR:
        return old ^ value
    if op == EXCH:
        return value
    return value if old == compare else old


@compiled(
    "(uint32[::1], int64[:,::1], boolean[:,:], int64, boolean, boolean, uint32[:,:,:], uint32[:,:,:], uint32[:,:,::1],"
    " int64)"
)
def integer(  # noqa: PLR0917
    words: Any,
    where: Any,
    mask: Any,
    op: int,
    wide: bool,
    signed: bool,
    values: Any,
    compares: Any,
    old: Any,
    first: int,
) -> None:
    """Apply an integer operation at byte offsets ``where``, int64 (n, 32), under the mask, from row ``first`` on.

    ``values``, ``compares`` and ``old`` are uint32 (words, n, 32), with 2 words when ``wide``. CAST leaves 1 in ``old``
    where the value was swapped, else 0; every other operation leaves the value from before.
    """
    for turn in range(where.shape[0]):
        row = (first + turn) % where.shape[0]
        for lane in range(32):
            if not mask[row, lane]:
                continue
            index = where[row, lane] >> 2
            before = np.uint64(words[index])
            value = np.uint64(values[0, row, lane])
            compare = np.uint64(compares[0, row, lane])
            if wide:
                before |= np.uint64(words[index + 1]) << np.uint64(32)
                value |= np.uint64(values[1, row, lane]) << np.uint64(32)
                compare |= np.uint64(compares[1, row, lane]) << np.uint64(32)
                after = _combine(op, signed, before, value, compare)
                words[index + 1] = np.uint32(after >> np.uint64(32))
            elif signed:
                after = _combine(
                    op, signed, np.uint64(np.int64(np.int32(before))), np.uint64(np.int64(np.int32(value))), compare
                )
            else:
                after = _combine(op, signed, before, value, compare)
            words[index] = np.uint32(after & np.uint64(0xFFFFFFFF))
            result = before
            if op == CAST:
                result = np.uint64(1) if before == compare else np.uint64(0)
            old[0, row, lane] = np.uint32(result & np.uint64(0xFFFFFFFF))
            if wide:
                old[1, row, lane] = np.uint32(result >> np.uint64(32))


@compiled("(uint32[::1], float32[::1], int64[:,::1], boolean[:,:], boolean, uint32[:,:], uint32[:,::1])")
def add_float32(  # noqa: PLR0917
    words: Any, floats: Any, where: Any, mask: Any, flush: bool, values: Any, old: Any
) -> None:
    """Add FP32 bits ``values``, uint32 (n, 32); ``floats`` views ``words``. ``flush`` takes subnormals for zero."""
    smallest = np.float32(2.0**-126)
    operand = np.empty(1, np.uint32)
    for row in range(where.shape[0]):
        for lane in range(32):
            if not mask[row, lane]:
                continue
            index = where[row, lane] >> 2
            old[row, lane] = words[index]
            operand[0] = values[row, lane]
            a = floats[index]
            b = operand.view(np.float32)[0]
            if flush and abs(a) < smallest:
                a *= np.float32(0)
            if flush and abs(b) < smallest:
                b *= np.float32(0)
            total = np.float32(a + b)
            if flush and abs(total) < smallest:
                total *= np.float32(0)
            floats[index] = total
            if np.isnan(total):
                words[index] = np.uint32(0x7FFFFFFF)


@compiled("(float64[::1], int64[:,::1], boolean[:,:], float64[:,::1], float64[:,::1])")
def add_float64(floats: Any, where: Any, mask: Any, values: Any, old: Any) -> None:
    """Add FP64 ``values``, (n, 32)."""
    for row in range(where.shape[0]):
        for lane in range(32):
            if mask[row, lane]:
                index = where[row, lane] >> 3
                old[row, lane] = floats[index]
                floats[index] += values[row, lane]


def add_halves(  # noqa: PLR0917
    words: Any, where: Any, mask: Any, values: Any, old: Any, add: Any
) -> None:
    """Add packed 16-bit floats, uint32 (n, 32), with ``add`` from two arrays uint16 (2,) to their sum."""
    for row, lane in np.argwhere(mask).tolist():
        index = where[row, lane] >> 2
        old[row, lane] = words[index]
        total = add(words[index : index + 1].view(np.uint16), values[row, lane : lane + 1].view(np.uint16))
        words[index : index + 1] = total.view(np.uint32)


def add_float16(a: Any, b: Any) -> Any:
    """The sum of FP16 bits, uint16, rounded to nearest even."""
    total = (a.view(np.float16) + b.view(np.float16)).view(np.uint16)
    return np.where(np.isnan(total.view(np.float16)), np.uint16(0x7FFF), total)


def add_bfloat16(a: Any, b: Any) -> Any:
    """The sum of BF16 bits, uint16, rounded to nearest even.

    The sum of two BF16 in FP64 is exact or far from a tie, so that rounding it once to BF16 is right; FP32 may round
    twice.
    """
    wide = [(bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64) for bits in (a, b)]
    total = wide[0] + wide[1]
    single = total.astype(np.float32)
    bits = single.view(np.uint32)
    # Round to odd before the second rounding.
    inexact = single.astype(np.float64) != total
    toward_zero = np.where(np.abs(single.astype(np.float64)) > np.abs(total), bits - 1, bits)
    bits = np.where(inexact, toward_zero | 1, bits)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(single), 0x7FFF, rounded).astype(np.uint16)
