"""FP32: FADD, FMUL, FFMA, FMNMX, FSEL, FSETP, FSET, FCHK."""

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.emulator.lanes import U32, Bools, Lanes
from isa.instruction import Instruction
from isa.semantics import float_ufuncs
from isa.semantics.compare import COMBINATIONS, write_comparison
from isa.semantics.float_operands import SIGN32, read_float32, without_bars
from isa.semantics.operands import Modifiers, operands_of, read_predicate, write_predicate, write_register
from isa.semantics.registry import Constants, Execute, semantics
from isa.semantics.rounding import MODES, NAN32, NEAREST

_ONE = np.full((1, 1), 0x3F800000, np.uint32)
_EXPONENT = np.uint32(0x7F800000)
_ZERO = np.uint32(0)

# FMUL's product is scaled before it is rounded.
_SCALES = {"D2": 0.5, "D4": 0.25, "D8": 0.125, "M2": 2.0, "M4": 4.0, "M8": 8.0}

Compare = Callable[[Any, Any], Bools]


def _unordered(compare: Compare) -> Compare:
    def opposite(a: Any, b: Any) -> Bools:
        result: Bools = np.logical_not(compare(a, b))
        return result

    return opposite


def _ordered_and_different(a: Any, b: Any) -> Bools:
    result: Bools = np.logical_or(np.less(a, b), np.greater(a, b))
    return result


def _no_nan(a: Any, b: Any) -> Bools:
    result: Bools = np.logical_not(np.logical_or(np.isnan(a), np.isnan(b)))
    return result


# The U forms are also true when an operand is a NaN: the opposite of the opposite comparison.
FLOAT_COMPARISONS: dict[str, Compare] = {
    "F": lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
    "LT": np.less,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GT": np.greater,
    "NE": _ordered_and_different,
    "GE": np.greater_equal,
    "NUM": _no_nan,
    "NAN": _unordered(_no_nan),
    "LTU": _unordered(np.greater_equal),
    "EQU": _unordered(_ordered_and_different),
    "LEU": _unordered(np.greater),
    "GTU": _unordered(np.less_equal),
    "NEU": np.not_equal,
    "GEU": _unordered(np.less),
    "T": lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_),
}


def flush(bits: U32) -> U32:
    """FP32 bits with denormals replaced by the zero of their sign."""
    return np.where(bits & _EXPONENT == _ZERO, bits & SIGN32, bits)


@semantics("FADD", "FMUL", "FFMA")
def lower_arithmetic(ins: Instruction, constants: Constants) -> Execute:
    """Add, multiply, multiply and add with one rounding; .FTZ, .SAT, the rounding modes, a product's scale."""
    modifiers = Modifiers(ins)
    ftz, saturate = modifiers.take("FTZ"), modifiers.take("SAT")
    mode = modifiers.choose(MODES, NEAREST)
    scale = modifiers.choose(_SCALES, None) if ins.opcode == "FMUL" else None
    modifiers.end()
    destination, *sources = operands_of(ins, 4 if ins.opcode == "FFMA" else 3)
    write = write_register(ins, destination)
    reads = [read_float32(ins, s, constants) for s in sources]
    nearest = {"FADD": float_ufuncs.add32, "FMUL": float_ufuncs.multiply32, "FFMA": float_ufuncs.fused32}[ins.opcode]
    ufunc = nearest(ftz, saturate) if mode == NEAREST else _directed_ufunc(ins.opcode, mode, ftz, saturate)
    if ins.opcode == "FFMA":
        a, b, c = reads
        return lambda lanes: write(lanes, ufunc(a(lanes), b(lanes), c(lanes)))
    a, b = reads
    if scale is not None:
        scaled = float_ufuncs.scaled32()
        return lambda lanes: write(lanes, scaled(a(lanes), b(lanes), scale, mode, ftz, saturate))
    return lambda lanes: write(lanes, ufunc(a(lanes), b(lanes)))


def _directed_ufunc(opcode: str, mode: int, ftz: bool, saturate: bool) -> Callable[..., U32]:
    fuse = float_ufuncs.directed32()
    if opcode == "FADD":
        return lambda a, b: fuse(a, _ONE, b, mode, ftz, saturate)
    if opcode == "FMUL":
        # Adding the zero of the product's sign changes nothing, a zero product's sign included.
        return lambda a, b: fuse(a, b, (a ^ b) & SIGN32, mode, ftz, saturate)
    return lambda a, b, c: fuse(a, b, c, mode, ftz, saturate)


@semantics("FMNMX")
def lower_fmnmx(ins: Instruction, constants: Constants) -> Execute:
    """Minimum where the predicate is true, maximum where it is false; .XORSIGN gives it the product's sign."""
    modifiers = Modifiers(ins)
    ftz, nan, xor_sign = modifiers.take("FTZ"), modifiers.take("NAN"), modifiers.take("XORSIGN")
    modifiers.end()
    destination, first, second, predicate = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b = read_float32(ins, first, constants), read_float32(ins, second, constants)
    minimum = read_predicate(ins, predicate)
    select = float_ufuncs.minimum_maximum32()
    if not xor_sign:
        return lambda lanes: write(lanes, select(a(lanes), b(lanes), minimum(lanes), ftz, nan))
    # The operands are printed with bars; the signs are those before the bars.
    signed_a, signed_b = (read_float32(ins, without_bars(s), constants) for s in (first, second))

    def execute(lanes: Lanes) -> None:
        result = select(a(lanes), b(lanes), minimum(lanes), ftz, nan)
        sign = (signed_a(lanes) ^ signed_b(lanes)) & SIGN32
        write(lanes, np.where(result == np.uint32(NAN32), result, result | sign))

    return execute


@semantics("FSEL")
def lower_fsel(ins: Instruction, constants: Constants) -> Execute:
    """``d = p ? a : b``; NaNs keep their payload."""
    modifiers = Modifiers(ins)
    ftz = modifiers.take("FTZ")
    modifiers.end()
    destination, first, second, predicate = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b = read_float32(ins, first, constants), read_float32(ins, second, constants)
    choose = read_predicate(ins, predicate)
    if ftz:
        return lambda lanes: write(lanes, flush(np.where(choose(lanes), a(lanes), b(lanes))))
    return lambda lanes: write(lanes, np.where(choose(lanes), a(lanes), b(lanes)))


@semantics("FSETP")
def lower_fsetp(ins: Instruction, constants: Constants) -> Execute:
    """Compare FP32 numbers; the result and its opposite, each combined with a predicate."""
    modifiers = Modifiers(ins)
    compare = modifiers.require(FLOAT_COMPARISONS)
    ftz = modifiers.take("FTZ")
    combine = modifiers.require(COMBINATIONS)
    modifiers.end()
    first, second, a_operand, b_operand, with_operand = operands_of(ins, 5)
    write = write_comparison(ins, (first, second), with_operand, combine)
    a, b = read_float32(ins, a_operand, constants), read_float32(ins, b_operand, constants)
    if ftz:
        return lambda lanes: write(lanes, compare(flush(a(lanes)).view(np.float32), flush(b(lanes)).view(np.float32)))
    return lambda lanes: write(lanes, compare(a(lanes).view(np.float32), b(lanes).view(np.float32)))


@semantics("FSET")
def lower_fset(ins: Instruction, constants: Constants) -> Execute:
    """Compare FP32 numbers into a register: all ones or, with .BF, 1.0 for true; 0 for false."""
    modifiers = Modifiers(ins)
    true = np.uint32(0x3F800000 if modifiers.take("BF") else 0xFFFFFFFF)
    compare = modifiers.require(FLOAT_COMPARISONS)
    ftz = modifiers.take("FTZ")
    combine = modifiers.require(COMBINATIONS)
    modifiers.end()
    destination, a_operand, b_operand, with_operand = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b = read_float32(ins, a_operand, constants), read_float32(ins, b_operand, constants)
    other = read_predicate(ins, with_operand)

    def execute(lanes: Lanes) -> None:
        x, y = (flush(a(lanes)), flush(b(lanes))) if ftz else (a(lanes), b(lanes))
        result = combine(compare(x.view(np.float32), y.view(np.float32)), other(lanes))
        write(lanes, np.where(result, true, _ZERO))

    return execute


@semantics("FCHK")
def lower_fchk(ins: Instruction, constants: Constants) -> Execute:
    """Whether ``a / b`` needs the slow path of the division, which handles every operand."""
    modifiers = Modifiers(ins)
    modifiers.take("DIVIDE")
    modifiers.end()
    out, first, second = operands_of(ins, 3)
    write = write_predicate(ins, out)
    a, b = read_float32(ins, first, constants), read_float32(ins, second, constants)
    return lambda lanes: write(lanes, division_needs_slow_path(a(lanes), b(lanes)))


def division_needs_slow_path(a: U32, b: U32) -> Bools:
    """FCHK's answer for the bits of a dividend and a divisor; it looks at the exponents only.

    Measured on an H100 for all 65,536 pairs of exponents (semantics check): the fast path's reciprocal, quotient and
    remainders can then neither be denormal nor overflow.
    """
    exponent_a = (a >> np.uint32(23) & np.uint32(0xFF)).astype(np.int32)
    exponent_b = (b >> np.uint32(23) & np.uint32(0xFF)).astype(np.int32)
    difference = exponent_a - exponent_b
    divisor = (exponent_b < 2) | (exponent_b > 251)
    dividend = (exponent_a < 25) | (exponent_a == 255)
    quotient = (difference < -124) | (difference > 126)
    slow: Bools = divisor | dividend | quotient
    return slow
