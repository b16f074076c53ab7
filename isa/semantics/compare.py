"""Comparison and selection of integers: ISETP, SEL, VIMNMX, VIMNMX3, VIADDMNMX and their uniform forms."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import Bools, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics.operands import (
    Modifiers,
    ReadBool,
    is_false,
    is_predicate,
    is_true,
    join,
    operands_of,
    read_integer,
    read_predicate,
    split,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported

Combine = Callable[[Bools, Bools], Bools]

COMPARISONS: dict[str, Callable[[Any, Any], Bools]] = {
    "F": lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
    "LT": np.less,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GT": np.greater,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "T": lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_),
}
COMBINATIONS: dict[str, Combine] = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}


def write_comparison(
    ins: Instruction, outs: tuple[Operand, Operand], combine_with: Operand, combine: Combine
) -> Callable[[Lanes, Bools], None]:
    """Write a comparison's result and its opposite, each combined with the predicate operand, to two predicates."""
    write, write_opposite = (write_predicate(ins, out) for out in outs)
    plain = combine is np.logical_and and is_true(combine_with)
    other: ReadBool = read_predicate(ins, combine_with)
    opposite_wanted = not is_true(outs[1])

    def execute(lanes: Lanes, result: Bools) -> None:
        if plain:
            first, opposite = result, ~result if opposite_wanted else result
        else:
            operand = other(lanes)
            first = combine(result, operand)
            opposite = combine(~result, operand) if opposite_wanted else result
        write(lanes, first)
        if opposite_wanted:
            write_opposite(lanes, opposite)

    return execute


@semantics("ISETP", "UISETP")
def lower_isetp(ins: Instruction, constants: Constants) -> Execute:
    """Compare integers; with .EX the high words of a pair, the last predicate telling how the low words compared."""
    modifiers = Modifiers(ins)
    name = modifiers.require({key: key for key in COMPARISONS})
    dtype: type[Any] = np.uint32 if modifiers.take("U32") else np.int32
    combine = modifiers.require(COMBINATIONS)
    extended = modifiers.take("EX")
    modifiers.end()
    first, second, a_operand, b_operand, with_operand, *low_operand = operands_of(ins, 6 if extended else 5)
    a, b = read_integer(ins, a_operand, constants), read_integer(ins, b_operand, constants)
    write = write_comparison(ins, (first, second), with_operand, combine)
    compare = COMPARISONS[name]
    if not extended:
        return lambda lanes: write(lanes, compare(a(lanes).view(dtype), b(lanes).view(dtype)))
    low = read_predicate(ins, low_operand[0])
    strict = COMPARISONS[{"LE": "LT", "GE": "GT", "EQ": "F"}.get(name, name)]

    def execute(lanes: Lanes) -> None:
        x, y = a(lanes).view(dtype), b(lanes).view(dtype)
        write(lanes, strict(x, y) | ((x == y) & low(lanes)))

    return execute


@semantics("SEL", "USEL")
def lower_sel(ins: Instruction, constants: Constants) -> Execute:
    """``d = p ? a : b``."""
    Modifiers(ins).end()
    destination, *sources, predicate = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b = (read_integer(ins, s, constants) for s in sources)
    choose = read_predicate(ins, predicate)
    return lambda lanes: write(lanes, np.where(choose(lanes), a(lanes), b(lanes)))


_LANE_TYPES: dict[str, type[Any]] = {"U32": np.uint32, "S16x2": np.int16, "U16x2": np.uint16}


def _minimum_maximum(ins: Instruction, operand: Operand) -> Callable[[Lanes, NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """Minimum where the predicate is true, maximum where it is false, of what ``split`` gives."""
    if is_true(operand):
        return lambda lanes, x, y: np.minimum(x, y)
    if is_false(operand):
        return lambda lanes, x, y: np.maximum(x, y)
    choose = read_predicate(ins, operand)

    def select(lanes: Lanes, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        minimum = choose(lanes)[..., np.newaxis]
        chosen: NDArray[Any] = np.where(minimum, np.minimum(x, y), np.maximum(x, y))
        return chosen

    return select


@semantics("VIMNMX", "IMNMX", "VIMNMX3")
def lower_vimnmx(ins: Instruction, constants: Constants) -> Execute:
    """Minimum or maximum of two or three integers or pairs of halves; .RELU clamps below at 0.

    The predicates that may be written say of each half, the low one first, that a was taken (ties included).
    """
    modifiers = Modifiers(ins)
    dtype = modifiers.choose(_LANE_TYPES, np.int32)
    relu = modifiers.take("RELU")
    modifiers.end()
    destination, *rest = ins.operands
    outs = []
    while is_predicate(rest[0]):
        outs.append(write_predicate(ins, rest.pop(0)))
    sources = 3 if ins.opcode == "VIMNMX3" else 2
    parts = 4 // np.dtype(dtype).itemsize
    if len(rest) != sources + 1 or len(outs) > (parts if sources == 2 else 0):
        raise unsupported(ins, "operands of an unknown form")
    write = write_register(ins, destination)
    reads = [read_integer(ins, s, constants) for s in rest[:-1]]
    select = _minimum_maximum(ins, rest[-1])

    def execute(lanes: Lanes) -> None:
        first: NDArray[Any] = split(reads[0](lanes), dtype)
        result = first
        for read in reads[1:]:
            result = select(lanes, result, split(read(lanes), dtype))
        taken = result == first
        if relu:
            result = np.maximum(result, dtype(0))
        write(lanes, join(result))
        for i, out in enumerate(outs):
            out(lanes, taken[..., i])

    return execute


@semantics("VIADDMNMX")
def lower_viaddmnmx(ins: Instruction, constants: Constants) -> Execute:
    """Minimum or maximum of ``a + b`` (which wraps) and c; .RELU clamps below at 0."""
    modifiers = Modifiers(ins)
    dtype = modifiers.choose(_LANE_TYPES, np.int32)
    relu = modifiers.take("RELU")
    modifiers.end()
    destination, *sources, predicate = operands_of(ins, 5)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)
    select = _minimum_maximum(ins, predicate)

    def execute(lanes: Lanes) -> None:
        total = split(a(lanes), dtype) + split(b(lanes), dtype)
        result = select(lanes, total, split(c(lanes), dtype))
        if relu:
            result = np.maximum(result, dtype(0))
        write(lanes, join(result))

    return execute
