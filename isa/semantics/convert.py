"""Conversions between floating-point formats: F2F, F2FP, FRND."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import convert_ufuncs, half_ufuncs
from isa.semantics.float32 import flush
from isa.semantics.float_operands import SIGN16, read_float32, read_float64, without_sign
from isa.semantics.fp8 import FORMATS, lower_fp8
from isa.semantics.operands import Modifiers, operands_of, read_integer, write_register, write_register64
from isa.semantics.registry import Constants, Execute, semantics
from isa.semantics.rounding import MODES, NAN32, NEAREST

ROUNDINGS: dict[str, Callable[[Any], Any]] = {"FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}
HALF_SELECTORS = ("H0", "H1", "H0_H0", "H1_H1")
_LOW = np.uint32(0xFFFF)
_QUIET = np.uint64(1 << 51)

ReadValue = Callable[[Lanes], NDArray[Any]]


def read_value(ins: Instruction, operand: Operand, constants: Constants, source: str, ftz: bool) -> ReadValue:
    """The value of an operand of format F16, BF16, F32 or F64 as float32 or float64, exactly."""
    if source == "F64":
        read64 = read_float64(ins, operand, constants)
        return lambda lanes: read64(lanes).view(np.float64)
    if source == "F32":
        read32 = read_float32(ins, operand, constants)
        if ftz:
            return lambda lanes: flush(read32(lanes)).view(np.float32)
        return lambda lanes: read32(lanes).view(np.float32)
    widen = half_ufuncs.widen16(source == "BF16")
    plain, absolute, negate = without_sign(operand)
    read = read_integer(ins, plain, constants, selectors=HALF_SELECTORS)
    shift = np.uint32(16 if getattr(operand, "selector", "").startswith("H1") else 0)
    exponent = np.uint16(0x7F80 if source == "BF16" else 0x7C00)

    def value(lanes: Lanes) -> NDArray[Any]:
        bits = (read(lanes) >> shift & _LOW).astype(np.uint16)
        if absolute:
            bits = bits & ~SIGN16
        if negate:
            bits = bits ^ SIGN16
        if ftz:
            bits = np.where(bits & exponent == 0, bits & SIGN16, bits)
        result: NDArray[Any] = widen(bits)
        return result

    return value


@semantics("F2F")
def lower_f2f(ins: Instruction, constants: Constants) -> Execute:
    """Convert between formats, the destination's printed first, in any rounding mode.

    NaNs from and to FP64 keep sign and payload and become quiet; others become the canonical NaN.
    """
    modifiers = Modifiers(ins)
    ftz = modifiers.take("FTZ")
    formats = {name: name for name in ("F16", "BF16", "F32", "F64")}
    target, source = modifiers.require(formats), modifiers.require(formats)
    mode = modifiers.choose(MODES, NEAREST)
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    read = read_value(ins, operand, constants, source, ftz)
    if target == "F64":
        write64 = write_register64(ins, destination)
        return lambda lanes: write64(lanes, read(lanes).astype(np.float64).view(np.uint64))
    write = write_register(ins, destination)
    convert = convert_ufuncs.round_float(target, keep_payload=source == "F64")
    if target == "F32" and ftz:
        return lambda lanes: write(lanes, flush(convert(read(lanes), mode)))
    return lambda lanes: write(lanes, convert(read(lanes), mode))


@semantics("F2FP")
def lower_f2fp(ins: Instruction, constants: Constants) -> Execute:
    """Two FP32 numbers rounded and packed, the first into the high half; .RELU clamps below at 0. FP8: see fp8."""
    if not FORMATS.keys().isdisjoint(ins.modifiers):
        return lower_fp8(ins, constants)
    modifiers = Modifiers(ins)
    relu = modifiers.take("RELU")
    target = modifiers.require({"F16": "F16", "BF16": "BF16"})
    modifiers.require({"F32": None})
    modifiers.require({"PACK_AB": None})
    mode = modifiers.choose(MODES, NEAREST)
    modifiers.end()
    destination, *sources = operands_of(ins, 3)
    write = write_register(ins, destination)
    a, b = (read_float32(ins, s, constants) for s in sources)
    convert = convert_ufuncs.round_float(target)

    def half(bits: U32) -> U32:
        result: U32 = convert(bits.view(np.float32), mode)
        return np.where(result >= np.uint32(0x8000), np.uint32(0), result) if relu else result

    return lambda lanes: write(lanes, half(a(lanes)) << np.uint32(16) | half(b(lanes)))


@semantics("FRND")
def lower_frnd(ins: Instruction, constants: Constants) -> Execute:
    """Round to an integral value of the same format: to nearest even, .FLOOR, .CEIL or .TRUNC."""
    modifiers = Modifiers(ins)
    ftz = modifiers.take("FTZ")
    source = modifiers.choose({name: name for name in ("F16", "BF16", "F64")}, "F32")
    rounding = modifiers.choose(ROUNDINGS, np.rint)
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    read = read_value(ins, operand, constants, source, ftz)
    if source == "F64":
        write64 = write_register64(ins, destination)

        def execute64(lanes: Lanes) -> None:
            values = read(lanes)
            bits = rounding(values).view(np.uint64)
            write64(lanes, np.where(np.isnan(values), values.view(np.uint64) | _QUIET, bits))

        return execute64
    write = write_register(ins, destination)
    if source == "F32":

        def execute(lanes: Lanes) -> None:
            values = rounding(read(lanes))
            write(lanes, np.where(np.isnan(values), np.uint32(NAN32), values.view(np.uint32)))

        return execute
    convert = convert_ufuncs.round_float(source)
    return lambda lanes: write(lanes, convert(rounding(read(lanes)), NEAREST))
