"""Integer multiplication: IMAD in all its forms, UIMAD, and the byte dot products IDP."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from isa.emulator.lanes import U32, U64, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import integer_ufuncs
from isa.semantics.add import split_operands
from isa.semantics.operands import (
    Modifiers,
    Read32,
    Read64,
    is_false,
    is_negated,
    is_zero,
    operands_of,
    read_integer,
    read_integer64,
    read_parts,
    read_predicate,
    split,
    write_predicate,
    write_register,
    write_register64,
    write_register_pair,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported

_HIGH = np.uint64(32)


@semantics("IMAD", "UIMAD")
def lower_imad(ins: Instruction, constants: Constants) -> Execute:
    """``d = a * b + c``: the low word, with .HI the high word, with .WIDE both; c is 64 bits wide with .HI and .WIDE.

    .MOV, .SHL and .IADD only say what the compiler uses the instruction for. .X adds a carry.
    """
    modifiers = Modifiers(ins)
    for purpose in ("MOV", "SHL", "IADD"):
        modifiers.take(purpose)
    unsigned, extended = modifiers.take("U32"), modifiers.take("X")
    high, wide = modifiers.take("HI"), modifiers.take("WIDE")
    modifiers.end()
    if high or wide:
        return _lower_wide(ins, constants, unsigned, extended, high)
    destination, outs, sources, carry_in = split_operands(ins, 3, 1 if extended else 0)
    if outs:
        raise unsupported(ins, "no semantics for a carry out of the low word")
    write = write_register(ins, destination)
    if extended and any(is_negated(s) for s in sources):
        raise unsupported(ins, "no semantics for a negated source with .X")
    a, b, c = (read_integer(ins, s, constants) for s in sources)
    carries = [read_predicate(ins, operand) for operand in carry_in if not is_false(operand)]
    if carries:
        carry = carries[0]
        return lambda lanes: write(lanes, a(lanes) * b(lanes) + c(lanes) + carry(lanes))
    if is_zero(sources[0]) or is_zero(sources[1]):
        return lambda lanes: write(lanes, c(lanes))
    if is_zero(sources[2]):
        return lambda lanes: write(lanes, a(lanes) * b(lanes))
    return lambda lanes: write(lanes, a(lanes) * b(lanes) + c(lanes))


def _lower_wide(ins: Instruction, constants: Constants, unsigned: bool, extended: bool, high: bool) -> Execute:
    destination, outs, sources, carry_in = split_operands(ins, 3, 1 if extended else 0)
    if len(outs) > 1:
        raise unsupported(ins, "operands of an unknown form")
    if any(is_negated(s) for s in sources[:2]):
        raise unsupported(ins, "no semantics for a negated factor of a wide product")
    if not outs and not carry_in and (parts := read_parts(ins, sources[2], constants)):
        return _lower_parts(ins, constants, unsigned, high, parts)
    factors = [_factor(ins, s, constants, unsigned) for s in sources[:2]]
    c = read_integer64(ins, sources[2], constants)
    carries = [read_predicate(ins, operand) for operand in carry_in if not is_false(operand)]
    write_high = write_register(ins, destination) if high else None
    write_pair = None if high else write_register64(ins, destination)
    out = write_predicate(ins, outs[0]) if outs else None

    def execute(lanes: Lanes) -> None:
        product = factors[0](lanes) * factors[1](lanes)
        total = product + c(lanes)
        overflow = total < product if out else None
        for carry in carries:
            total = total + carry(lanes)
            if overflow is not None:
                overflow = overflow | (carry(lanes) & (total == 0))
        if write_high:
            write_high(lanes, (total >> _HIGH).astype(np.uint32))
        elif write_pair:
            write_pair(lanes, total)
        if out and overflow is not None:
            out(lanes, overflow)

    return execute


def _lower_parts(
    ins: Instruction, constants: Constants, unsigned: bool, high: bool, parts: tuple[Read32, Read32]
) -> Execute:
    """Without carries, each word of the result by itself."""
    destination, first, second, _ = ins.operands
    a, b = read_integer(ins, first, constants), read_integer(ins, second, constants)
    c_low, c_high = parts
    upper = integer_ufuncs.multiply_add_high(not unsigned)
    if high:
        write = write_register(ins, destination)
        return lambda lanes: write(lanes, upper(a(lanes), b(lanes), c_low(lanes), c_high(lanes)))
    write_low, write_high = write_register_pair(ins, destination)

    def execute(lanes: Lanes) -> None:
        x, y, z = a(lanes), b(lanes), c_low(lanes)
        # Both before the first write: the destination may be a source.
        low, top = x * y + z, upper(x, y, z, c_high(lanes))
        write_low(lanes, low)
        write_high(lanes, top)

    return execute


def _factor(ins: Instruction, source: Operand, constants: Constants, unsigned: bool) -> Read64:
    read = read_integer(ins, source, constants)
    if unsigned:
        return lambda lanes: read(lanes).astype(np.uint64)
    return lambda lanes: read(lanes).view(np.int32).astype(np.int64).view(np.uint64)


@semantics("IDP")
def lower_idp(ins: Instruction, constants: Constants) -> Execute:
    """``d = c + sum of products``: .4A of four bytes each; .2A of two halves of a and two bytes of b, .LO or .HI."""
    modifiers = Modifiers(ins)
    bytes4 = modifiers.require({"4A": True, "2A": False})
    upper = False if bytes4 else modifiers.require({"LO": False, "HI": True})
    types: dict[str, type[Any]] = {"S8": np.int8, "U8": np.uint8, "S16": np.int16, "U16": np.uint16}
    type_a, type_b = modifiers.require(types), modifiers.require(types)
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)

    def parts(words: U32, dtype: type[Any]) -> U64:
        return split(words, dtype).astype(np.int64).view(np.uint64)

    def execute(lanes: Lanes) -> None:
        x, y = parts(a(lanes), type_a), parts(b(lanes), type_b)
        if not bytes4:
            y = y[..., 2:4] if upper else y[..., 0:2]
        products = x * y
        total = reduce(add, (products[..., part] for part in range(products.shape[-1])))
        write(lanes, total.astype(np.uint32) + c(lanes))

    return execute
