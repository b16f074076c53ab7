"""Operands for the operations: special values in every combination, and random ones, from a fixed seed."""

import numpy as np
from numpy.typing import NDArray

COUNT = 512

U64 = NDArray[np.uint64]

_FLOAT32 = (
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001,
    0x3F7FFFFF, 0x3F800000, 0xBF800000, 0x3F800001, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0xC0200000,
    0x40490FDB, 0x4B000001, 0x4B800001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000,
    0x5EFFFFFF, 0x5F000000, 0xDF000000, 0x5F800000, 0x7E800000, 0xFE800001, 0x7F000000, 0x7F7FFFFF, 0xFF7FFFFF,
    0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x7FFFFFFF, 0x33800000, 0x477FE000, 0x477FF000,
    0x38800000, 0x387FFFFF, 0x33000000, 0x33000001, 0x42FF0000, 0xC3000000, 0x437F8000,
)  # fmt: skip
_FLOAT16 = (
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x3BFF, 0x3C00, 0xBC00, 0x3C01, 0x3800, 0x3E00,
    0x4100, 0xC100, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x7FFF, 0x4900, 0x77FF, 0x7800,
)  # fmt: skip
_BFLOAT16 = (
    0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F, 0x0080, 0x8080, 0x3F7F, 0x3F80, 0xBF80, 0x3F81, 0x3F00, 0x3FC0,
    0x4020, 0xC020, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0x7FFF, 0x4120, 0x4F00, 0x5F00,
)  # fmt: skip
_FLOAT64 = (
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF,
    0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x0010000000000001, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000,
    0xBFF0000000000000, 0x3FF0000000000001, 0x3FE0000000000000, 0x3FF8000000000000, 0x4004000000000000,
    0xC004000000000000, 0x400921FB54442D18, 0x41DFFFFFFFC00000, 0x41DFFFFFFFE00000, 0x41E0000000000000,
    0xC1E0000000200000, 0x41EFFFFFFFE00000, 0x41F0000000000000, 0x43DFFFFFFFFFFFFF, 0x43E0000000000000,
    0xC3E0000000000000, 0x43EFFFFFFFFFFFFF, 0x43F0000000000000, 0x4340000000000001, 0x7FEFFFFFFFFFFFFF,
    0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001,
    0x7FF0000000000001, 0x380FFFFFE0000000, 0x36A0000000000000, 0x3690000000000001, 0x47EFFFFFE0000000,
    0x47EFFFFFF0000000, 0x40EFFC0000000000, 0x40EFFE0000000000, 0x3E70000000000000,
)  # fmt: skip
_INTEGER = (
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
    0x00800000, 0x01000001, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFF80, 0xFFFFFFFE, 0xFFFFFFFF,
    0x0000000100000000, 0x00000001FFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFF00000000,
    0xFFFFFFFF80000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0x0123456789ABCDEF, 0x0020000000000001,
)  # fmt: skip


def kind(name: str) -> str:
    """The kind of operands that an operation takes, from its name: i, f16, bf16, f32 or f64."""
    prefix = name.split("_", maxsplit=1)[0]
    if prefix in ("f16", "bf16", "f32", "f64"):
        return prefix
    if prefix in ("mufu", "math"):
        if name.endswith("64h") or name.startswith("math_d"):
            return "f64"
        return "bf16" if name.endswith("_bf16") else "f16" if name.endswith("_f16") else "f32"
    return "i"


def operand_sets() -> dict[str, U64]:
    """By kind, the operands: uint64 (3, COUNT), narrow ones in the low bits."""
    random = np.random.default_rng(20251120)
    return {
        "i": _mixed(random, np.array(_INTEGER, np.uint64), _random_integers(random)),
        "f16": _pairs(random, _FLOAT16),
        "bf16": _pairs(random, _BFLOAT16),
        "f32": _cancel32(_mixed(random, np.array(_FLOAT32, np.uint64), _random_floats(random, 23, 8))),
        "f64": _nans64(_cancel64(_mixed(random, np.array(_FLOAT64, np.uint64), _random_floats(random, 52, 11)))),
    }


def _mixed(random: np.random.Generator, special: U64, others: U64) -> U64:
    """Three eighths of the rows all special, one eighth mixed, the rest random."""
    chosen = random.choice(special, (3, COUNT))
    mixed = random.random((3, COUNT)) < 0.5
    rows = np.arange(COUNT)
    take = (rows < 3 * COUNT // 8) | ((rows < COUNT // 2) & mixed)
    return np.where(take, chosen, others)


def _random_integers(random: np.random.Generator) -> U64:
    bits = random.integers(0, 1 << 64, (3, COUNT), np.uint64)
    small = bits >> random.integers(0, 64, (3, COUNT), np.uint64)
    signed = np.where(random.random((3, COUNT)) < 0.3, np.negative(small), small)
    return np.where(random.random((3, COUNT)) < 0.5, bits, signed)


def _random_floats(random: np.random.Generator, fraction_bits: int, exponent_bits: int) -> U64:
    """Random bits; in two of three rows, magnitudes within 2**-12 to 2**12."""
    width = 1 + fraction_bits + exponent_bits
    bits = random.integers(0, 1 << 64, (3, COUNT), np.uint64) >> np.uint64(64 - width)
    bias = (1 << exponent_bits - 1) - 1
    exponent = random.integers(bias - 12, bias + 12, (3, COUNT), np.uint64) << np.uint64(fraction_bits)
    kept = np.uint64((1 << width) - 1 & ~(((1 << exponent_bits) - 1) << fraction_bits))
    floats: U64 = np.where(np.arange(COUNT) % 3 != 0, bits & kept | exponent, bits)
    return floats


def _pairs(random: np.random.Generator, special: tuple[int, ...]) -> U64:
    """Two 16-bit floats in 32 bits."""
    halves = random.integers(0, 1 << 16, (2, 3, COUNT), np.uint64)
    near = (halves & np.uint64(0x8FFF)) | np.uint64(0x3000)
    halves = np.where(np.arange(COUNT) % 3 != 0, near, halves)
    chosen = random.choice(np.array(special, np.uint64), (2, 3, COUNT))
    halves = np.where(np.arange(COUNT) < COUNT // 2, chosen, halves)
    words: U64 = halves[0] | halves[1] << np.uint64(16)
    return words


def _cancel32(operands: U64) -> U64:
    """In the last eighth, c is the rounded negated product: only the rounding error remains of ``a * b + c``."""
    rows = slice(COUNT - COUNT // 8, COUNT)
    a, b = (operands[i, rows].astype(np.uint32).view(np.float32) for i in range(2))
    with np.errstate(all="ignore"):
        operands[2, rows] = (-(a * b)).view(np.uint32)
    return operands


def _cancel64(operands: U64) -> U64:
    rows = slice(COUNT - COUNT // 8, COUNT)
    a, b = (operands[i, rows].copy().view(np.float64) for i in range(2))
    with np.errstate(all="ignore"):
        operands[2, rows] = (-(a * b)).view(np.uint64)
    return operands


def _nans64(operands: U64) -> U64:
    """In the first 32 rows, one to three of the operands are NaNs that can be told apart: which one is passed on?"""
    nans = np.array([0x7FF8000000000123, 0xFFF0000000000456, 0x7FFC000000000789], np.uint64)[:, np.newaxis]
    rows = np.arange(32)
    is_nan = (rows >> np.arange(3)[:, np.newaxis] & 1).astype(np.bool_)
    operands[:, :32] = np.where(is_nan, nans, np.uint64(0x3FF8000000000000))
    return operands


def division_grid() -> U64:
    """Operands of the division check: uint64 (2, 4 * 65536), all pairs of FP32 exponents, fractions zero or not."""
    exponents = np.arange(256, dtype=np.uint64) << np.uint64(23)
    a, b = np.meshgrid(exponents, exponents, indexing="ij")
    fractions_a, fractions_b = (0, 0, 0x2AAAAB, 0x2AAAAB), (0, 0x5B6DB7, 0, 0x5B6DB7)
    pairs = [
        np.stack([(a | np.uint64(x)).ravel(), (b | np.uint64(y)).ravel()])
        for x, y in zip(fractions_a, fractions_b, strict=True)
    ]
    grid: U64 = np.concatenate(pairs, axis=1)
    return grid
