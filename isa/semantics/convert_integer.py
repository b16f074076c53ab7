"""Conversions from and to integers: F2I, I2F, I2FP, and the saturating I2I, I2IP, F2IP."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, U64, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import convert_ufuncs, integer_ufuncs
from isa.semantics.convert import read_value
from isa.semantics.operands import (
    Modifiers,
    operands_of,
    read_integer,
    read_integer64,
    write_register,
    write_register64,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.semantics.rounding import DOWN, MODES, NEAREST, UP, ZERO

_TYPES: dict[str, type[Any]] = {
    "S8": np.int8,
    "U8": np.uint8,
    "S16": np.int16,
    "U16": np.uint16,
    "S32": np.int32,
    "U32": np.uint32,
    "S64": np.int64,
    "U64": np.uint64,
}
_NUMPY_FLOATS: dict[str, tuple[type[Any], type[Any]]] = {
    "F32": (np.float32, np.uint32),
    "F64": (np.float64, np.uint64),
}
_INTEGER_MODES = {"FLOOR": DOWN, "CEIL": UP, "TRUNC": ZERO}
_SHIFTS = {"": 0, "B0": 0, "B1": 8, "B2": 16, "B3": 24, "H0": 0, "H1": 16}


def _as_register(values: NDArray[Any]) -> U32:
    """Integers of up to 32 bits as a register holds them: sign- or zero-extended."""
    return values.astype(np.int64).astype(np.uint32)


@semantics("F2I")
def lower_f2i(ins: Instruction, constants: Constants) -> Execute:
    """Round to an integer and saturate; NaN gives 0 with .NTZ and the integer's top bit without."""
    modifiers = Modifiers(ins)
    ftz, nan_to_zero = modifiers.take("FTZ"), modifiers.take("NTZ")
    dtype = modifiers.choose(_TYPES, np.int32)
    source = modifiers.choose({name: name for name in ("F16", "BF16", "F64", "F32")}, "F32")
    mode = modifiers.choose(_INTEGER_MODES, NEAREST)
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    read = read_value(ins, operand, constants, source, ftz)
    bits = np.iinfo(dtype).bits
    convert = integer_ufuncs.from_float(np.dtype(dtype).name, 0 if nan_to_zero else 1 << bits - 1)
    if bits == 64:
        write64 = write_register64(ins, destination)
        return lambda lanes: write64(lanes, convert(read(lanes), mode))
    write = write_register(ins, destination)
    return lambda lanes: write(lanes, convert(read(lanes), mode).astype(np.uint32))


@semantics("I2F", "I2FP")
def lower_i2f(ins: Instruction, constants: Constants) -> Execute:
    """Convert an integer (S32 when no type is printed) to F32, F16, BF16 or F64 in any rounding mode."""
    modifiers = Modifiers(ins)
    target = modifiers.choose({name: name for name in ("F16", "BF16", "F64", "F32")}, "F32")
    dtype = modifiers.choose(_TYPES, np.int32)
    mode = modifiers.choose(MODES, NEAREST)
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    read = _read_typed(ins, operand, constants, dtype)
    bits = _round_integers(read, target, mode)
    if target == "F64":
        write64 = write_register64(ins, destination)
        return lambda lanes: write64(lanes, bits(lanes))
    write = write_register(ins, destination)
    return lambda lanes: write(lanes, bits(lanes).astype(np.uint32))


def _round_integers(read: Callable[[Lanes], NDArray[Any]], target: str, mode: int) -> Callable[[Lanes], NDArray[Any]]:
    """The bits of integers rounded to a format, as uint32 or uint64."""
    if mode == NEAREST and target in _NUMPY_FLOATS:
        # The host's conversions round to nearest even.
        floating, unsigned = _NUMPY_FLOATS[target]
        return lambda lanes: read(lanes).astype(floating).view(unsigned)
    convert = convert_ufuncs.round_integer(target)

    def bits(lanes: Lanes) -> U64:
        values = read(lanes)
        negative = values < 0
        wide = values.astype(np.uint64)
        result: U64 = convert(np.where(negative, np.negative(wide), wide), negative, mode)
        return result

    return bits


def _read_typed(
    ins: Instruction, operand: Operand, constants: Constants, dtype: type[Any]
) -> Callable[[Lanes], NDArray[Any]]:
    """An integer operand of a type, taken from the byte or half that its selector names."""
    size = np.iinfo(dtype).bits
    if size == 64:
        read64 = read_integer64(ins, operand, constants)
        return lambda lanes: read64(lanes).view(dtype)
    read = read_integer(ins, operand, constants, selectors=tuple(_SHIFTS))
    shift = np.uint32(_SHIFTS[getattr(operand, "selector", "")])
    unsigned = np.dtype(dtype).str.replace("i", "u")
    return lambda lanes: (read(lanes) >> shift).astype(unsigned).view(dtype)


@semantics("I2I")
def lower_i2i(ins: Instruction, constants: Constants) -> Execute:
    """Saturate an integer to a narrower type."""
    modifiers = Modifiers(ins)
    target, source = modifiers.require(_TYPES), modifiers.require(_TYPES)
    modifiers.require({"SAT": None})
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    if np.iinfo(target).bits > 32:
        raise unsupported(ins, "no semantics for a 64-bit destination")
    write, read = write_register(ins, destination), _read_typed(ins, operand, constants, source)
    return lambda lanes: write(lanes, _as_register(_saturate_integer(read(lanes), target)))


def _saturate_integer(values: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    limits = np.iinfo(dtype)
    wide = values.astype(np.int64)
    return np.clip(wide, limits.min, limits.max)


@semantics("I2IP")
def lower_i2ip(ins: Instruction, constants: Constants) -> Execute:
    """Saturate a and b to 8 or 16 bits and pack them, a above b, below what is left of c (PTX: cvt.pack)."""
    modifiers = Modifiers(ins)
    target, source = modifiers.require(_TYPES), modifiers.require(_TYPES)
    modifiers.require({"SAT": None})
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)
    return lambda lanes: write(
        lanes,
        _pack(
            _saturate_integer(a(lanes).view(source), target),
            _saturate_integer(b(lanes).view(source), target),
            c(lanes),
            target,
        ),
    )


def _pack(high: NDArray[Any], low: NDArray[Any], rest: U32, dtype: type[Any]) -> U32:
    bits = np.iinfo(dtype).bits
    mask, width = np.uint32((1 << bits) - 1), np.uint32(bits)
    packed = (_as_register(high) & mask) << width | _as_register(low) & mask
    # NumPy shifts out everything when the two already fill the word.
    word: U32 = packed | rest << (width + width)
    return word


@semantics("F2IP")
def lower_f2ip(ins: Instruction, constants: Constants) -> Execute:
    """Round two FP32 numbers to integers, saturate and pack them as I2IP does."""
    modifiers = Modifiers(ins)
    ftz, nan_to_zero = modifiers.take("FTZ"), modifiers.take("NTZ")
    target = modifiers.require(_TYPES)
    modifiers.require({"F32": None})
    mode = modifiers.choose(_INTEGER_MODES, NEAREST)
    modifiers.end()
    if not nan_to_zero:
        raise unsupported(ins, "no semantics without modifier NTZ")
    destination, first, second, third = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b = (read_value(ins, s, constants, "F32", ftz) for s in (first, second))
    c = read_integer(ins, third, constants)

    convert = integer_ufuncs.from_float(np.dtype(target).name, 0)
    return lambda lanes: write(lanes, _pack(convert(a(lanes), mode), convert(b(lanes), mode), c(lanes), target))
