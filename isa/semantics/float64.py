"""FP64: DADD, DMUL, DFMA, DSETP (comparisons, and the minimum and maximum that it decides)."""

import numpy as np

from isa.emulator.lanes import U64, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import float_ufuncs
from isa.semantics.compare import COMBINATIONS, write_comparison
from isa.semantics.float32 import FLOAT_COMPARISONS
from isa.semantics.float_operands import MAGNITUDE64, read_float64
from isa.semantics.operands import Modifiers, Read64, is_true, operands_of, write_predicate, write_register64
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.semantics.rounding import MODES, NEAREST

_ONE = np.full((1, 1), 0x3FF0000000000000, np.uint64)
_INFINITY = np.uint64(0x7FF0000000000000)


@semantics("DADD", "DMUL", "DFMA")
def lower_arithmetic(ins: Instruction, constants: Constants) -> Execute:
    """Add, multiply, multiply and add with one rounding, in every rounding mode."""
    modifiers = Modifiers(ins)
    mode = modifiers.choose(MODES, NEAREST)
    modifiers.end()
    destination, *sources = operands_of(ins, 4 if ins.opcode == "DFMA" else 3)
    write = write_register64(ins, destination)
    reads = [read_float64(ins, s, constants) for s in sources]
    a, b = reads[0], reads[1]
    if ins.opcode == "DFMA":
        c = reads[2]
        if mode == NEAREST:
            nearest = float_ufuncs.fused64_nearest()
            return lambda lanes: write(lanes, nearest(a(lanes), b(lanes), c(lanes)))
        fuse = float_ufuncs.directed64()
        return lambda lanes: write(lanes, fuse(a(lanes), b(lanes), c(lanes), mode))
    if ins.opcode == "DADD":
        if mode == NEAREST:
            add = float_ufuncs.add64()
            return lambda lanes: write(lanes, add(a(lanes), b(lanes)))
        fuse = float_ufuncs.directed64()
        return lambda lanes: write(lanes, fuse(a(lanes), _ONE, b(lanes), mode))
    if mode == NEAREST:
        multiply = float_ufuncs.multiply64_nearest()
        return lambda lanes: write(lanes, multiply(a(lanes), b(lanes)))
    multiply = float_ufuncs.directed_multiply64()
    return lambda lanes: write(lanes, multiply(a(lanes), b(lanes), mode))


@semantics("DSETP")
def lower_dsetp(ins: Instruction, constants: Constants) -> Execute:
    """Compare FP64 numbers; the result and its opposite, each combined with a predicate. .MIN and .MAX choose."""
    modifiers = Modifiers(ins)
    choice = modifiers.choose({"MIN": "MIN", "MAX": "MAX"}, "")
    compare = None if choice else modifiers.require(FLOAT_COMPARISONS)
    combine = modifiers.require(COMBINATIONS)
    modifiers.end()
    first, second, a_operand, b_operand, with_operand = operands_of(ins, 5)
    a, b = read_float64(ins, a_operand, constants), read_float64(ins, b_operand, constants)
    if compare is None:
        if combine is not np.logical_and or not is_true(with_operand):
            raise unsupported(ins, f"no semantics for .{choice} combined with a predicate")
        return _lower_choice(ins, (first, second), a, b, minimum=choice == "MIN")
    ordered = compare
    write = write_comparison(ins, (first, second), with_operand, combine)
    return lambda lanes: write(lanes, ordered(a(lanes).view(np.float64), b(lanes).view(np.float64)))


def _lower_choice(ins: Instruction, outs: tuple[Operand, Operand], a: Read64, b: Read64, *, minimum: bool) -> Execute:
    """First predicate: the minimum (maximum) is a; second: it is NaN, that is both operands are."""
    write_first, write_both_nan = (write_predicate(ins, out) for out in outs)

    def execute(lanes: Lanes) -> None:
        x, y = a(lanes), b(lanes)
        nan_x, nan_y = x & MAGNITUDE64 > _INFINITY, y & MAGNITUDE64 > _INFINITY
        key_x, key_y = _ordered(x), _ordered(y)
        takes_a = key_x < key_y if minimum else key_x > key_y
        write_first(lanes, ~nan_x & (nan_y | takes_a))
        write_both_nan(lanes, nan_x & nan_y)

    return execute


def _ordered(bits: U64) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """FP64 bits as signed integers in the same order, -0 below +0."""
    signed = bits.view(np.int64)
    return signed ^ (signed >> np.int64(63) & np.int64(MAGNITUDE64))
