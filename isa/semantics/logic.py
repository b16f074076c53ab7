"""Bitwise logic through look-up tables: LOP3, PLOP3 and their uniform forms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.emulator.lanes import Bools, Lanes
from isa.instruction import Instruction
from isa.operand import Immediate, Operand, Register
from isa.semantics.operands import (
    Modifiers,
    ReadBool,
    is_false,
    is_predicate,
    is_true,
    operands_of,
    read_integer,
    read_predicate,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported

Function2 = Callable[[Any, Any], Any]
Function3 = Callable[[Any, Any, Any], Any]

# By the four bits f(1,1) f(1,0) f(0,1) f(0,0).
_TWO_INPUTS: dict[int, Function2] = {
    0b0000: lambda a, b: a ^ a,
    0b0001: lambda a, b: ~(a | b),
    0b0010: lambda a, b: ~a & b,
    0b0011: lambda a, b: ~a,
    0b0100: lambda a, b: a & ~b,
    0b0101: lambda a, b: ~b,
    0b0110: lambda a, b: a ^ b,
    0b0111: lambda a, b: ~(a & b),
    0b1000: lambda a, b: a & b,
    0b1001: lambda a, b: ~(a ^ b),
    0b1010: lambda a, b: b,
    0b1011: lambda a, b: ~a | b,
    0b1100: lambda a, b: a,
    0b1101: lambda a, b: a | ~b,
    0b1110: lambda a, b: a | b,
    0b1111: lambda a, b: ~(a ^ a),
}


def truth_table(table: int) -> Function3:
    """The bitwise function of three arrays whose look-up table is ``table``: bit ``4a + 2b + c`` is its value.

    Works on booleans as on integers. Shannon's expansion by c, with its special cases, keeps the array operations few.
    """
    with_c = sum((table >> 2 * i + 1 & 1) << i for i in range(4))
    without_c = sum((table >> 2 * i & 1) << i for i in range(4))
    one, zero = _TWO_INPUTS[with_c], _TWO_INPUTS[without_c]
    if with_c == without_c:
        return lambda a, b, c: one(a, b)
    if with_c ^ without_c == 0b1111:
        return lambda a, b, c: zero(a, b) ^ c
    if without_c == 0:
        return lambda a, b, c: one(a, b) & c
    if with_c == 0:
        return lambda a, b, c: zero(a, b) & ~c
    if with_c == 0b1111:
        return lambda a, b, c: zero(a, b) | c
    if without_c == 0b1111:
        return lambda a, b, c: one(a, b) | ~c
    return lambda a, b, c: (one(a, b) & c) | (zero(a, b) & ~c)


def _table(ins: Instruction, operand: Operand) -> int:
    if not isinstance(operand, Immediate) or not isinstance(operand.value, int):
        raise unsupported(ins, "the look-up table is not an immediate")
    return operand.value & 0xFF


@semantics("LOP3", "ULOP3")
def lower_lop3(ins: Instruction, constants: Constants) -> Execute:
    """Any bitwise function of three words; the predicate says that the result is not 0, or-ed with the last operand.

    With .PAND the last operand is and-ed instead.
    """
    modifiers = Modifiers(ins)
    modifiers.require({"LUT": None})
    conjunction = modifiers.take("PAND")
    modifiers.end()
    operands = list(operands_of(ins, 5, 6, 7))
    out = write_predicate(ins, operands.pop(0)) if is_predicate(operands[0]) else None
    combine_with = operands.pop() if is_predicate(operands[-1]) else None
    if len(operands) != 5:
        raise unsupported(ins, "operands of an unknown form")
    destination, *sources, table = operands
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)
    function = truth_table(_table(ins, table))
    if out is None:
        return lambda lanes: write(lanes, function(a(lanes), b(lanes), c(lanes)))
    combine: Function2 = np.logical_and if conjunction else np.logical_or
    neutral = combine_with is None or (is_true(combine_with) if conjunction else is_false(combine_with))
    other: ReadBool | None = None if neutral or combine_with is None else read_predicate(ins, combine_with)
    write_out = out

    def execute(lanes: Lanes) -> None:
        result = function(a(lanes), b(lanes), c(lanes))
        write(lanes, result)
        nonzero = result != 0
        write_out(lanes, nonzero if other is None else combine(nonzero, other(lanes)))

    return execute


def _truth(ins: Instruction, operand: Operand, constants: Constants) -> ReadBool:
    """A predicate, or the sign bit of a register with the selector SIGN."""
    if isinstance(operand, Register) and operand.selector == "SIGN":
        read = read_integer(ins, operand, constants, selectors=("SIGN",))
        return lambda lanes: read(lanes).view(np.int32) < 0
    return read_predicate(ins, operand)


@semantics("PLOP3", "UPLOP3")
def lower_plop3(ins: Instruction, constants: Constants) -> Execute:
    """Two boolean functions of three predicates, each with its own look-up table."""
    modifiers = Modifiers(ins)
    modifiers.require({"LUT": None})
    modifiers.end()
    first, second, *sources, first_table, second_table = operands_of(ins, 7)
    wanted = [(out, table) for out, table in ((first, first_table), (second, second_table)) if not is_true(out)]
    writes = [write_predicate(ins, out) for out, _ in wanted]
    functions = [truth_table(_table(ins, table)) for _, table in wanted]
    a, b, c = (_truth(ins, s, constants) for s in sources)

    def execute(lanes: Lanes) -> None:
        x, y, z = a(lanes), b(lanes), c(lanes)
        # Copies: a function may give one of its operands back, which the first write may change.
        results: list[Bools] = [function(x, y, z).copy() for function in functions]
        for write, values in zip(writes, results, strict=True):
            write(lanes, values)

    return execute
