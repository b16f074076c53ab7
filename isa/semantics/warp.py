"""Instructions by which the lanes of a warp see each other: SHFL, VOTE, MATCH, REDUX, ELECT."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.group import pack
from isa.emulator.lanes import U32, WARP_SIZE, Bools, Lanes
from isa.instruction import Instruction
from isa.operand import Register, RegisterFile
from isa.semantics.operands import (
    Modifiers,
    is_predicate,
    operands_of,
    read_integer,
    read_integer64,
    read_predicate,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.trace.model import Space

_LANES = np.arange(WARP_SIZE, dtype=np.int64)[None, :]
_POWERS = np.uint32(1) << np.arange(WARP_SIZE, dtype=np.uint32)


@semantics("SHFL")
def _shfl(ins: Instruction, constants: Constants) -> Execute:
    """PTX ISA, ``shfl.sync``: the last operand holds the clamp (bits 0-4) and the segment mask (bits 8-12)."""
    modifiers = Modifiers(ins)
    mode = modifiers.require({name: name for name in ("IDX", "UP", "DOWN", "BFLY")})
    modifiers.end()
    flag, destination, source, which, limits = operands_of(ins, 5)
    write_flag, write = write_predicate(ins, flag), write_register(ins, destination)
    values, lane, limit = (read_integer(ins, operand, constants) for operand in (source, which, limits))

    def run(lanes: Lanes) -> None:
        b = lane(lanes).astype(np.int64) & 31
        c = limit(lanes).astype(np.int64)
        clamp, segment = c & 31, c >> 8 & 31
        last = (_LANES & segment) | (clamp & ~segment)
        if mode == "IDX":
            origin = (_LANES & segment) | (b & ~segment)
        elif mode == "UP":
            origin = _LANES - b
        elif mode == "DOWN":
            origin = _LANES + b
        else:
            origin = _LANES ^ b
        inside = origin >= last if mode == "UP" else origin <= last
        origin = np.where(inside, origin, _LANES)
        shape = (lanes.count, WARP_SIZE)
        taken = np.take_along_axis(np.broadcast_to(values(lanes), shape), np.broadcast_to(origin, shape), axis=1)
        write(lanes, taken)
        write_flag(lanes, np.broadcast_to(inside, shape))

    return run


@semantics("VOTE", "VOTEU")
def _vote(ins: Instruction, constants: Constants) -> Execute:
    del constants
    modifiers = Modifiers(ins)
    mode = modifiers.require({name: name for name in ("ANY", "ALL", "EQ")})
    modifiers.end()
    *destinations, source = ins.operands
    registers = [write_register(ins, operand) for operand in destinations if not is_predicate(operand)]
    flags = [write_predicate(ins, operand) for operand in destinations if is_predicate(operand)]
    read = read_predicate(ins, source)

    def run(lanes: Lanes) -> None:
        active = lanes.active()
        yes = read(lanes) & active
        ballot = pack(yes)[:, None]
        everyone = pack(active)[:, None]
        if mode == "ANY":
            result = ballot != 0
        elif mode == "ALL":
            result = ballot == everyone
        else:
            result = (ballot == everyone) | (ballot == 0)
        for write in registers:
            write(lanes, ballot)
        for write_flag in flags:
            write_flag(lanes, result)

    return run


def masks_of_equal(values: NDArray[Any], active: Bools) -> U32:
    """For each lane those ``active`` ones that hold its value, as a bit mask; all are (n, 32)."""
    equal = (values[:, :, None] == values[:, None, :]) & active[:, None, :]
    masks: U32 = (equal * _POWERS).sum(axis=2, dtype=np.uint32)
    return masks


def record_values(lanes: Lanes, masks: U32, active: Bools) -> None:
    """Leave in the trace how many values the active lanes hold; ``masks``: those that hold a lane's, uint32 (n, 32)."""
    # A lane counts when it is the lowest of those with its value.
    lowest = (masks & (~masks + np.uint32(1))) == _POWERS
    number = (lowest & active).sum(axis=1, dtype=np.uint64)[:, None]
    held = np.ascontiguousarray(np.broadcast_to(number, active.shape))
    lanes.batch.recorder.access(lanes.first, Space.VALUES, 0, active, held)


@semantics("MATCH")
def _match(ins: Instruction, constants: Constants) -> Execute:
    modifiers = Modifiers(ins)
    every = modifiers.require({"ANY": False, "ALL": True})
    wide = modifiers.take("U64")
    modifiers.end()
    *destinations, source = ins.operands
    registers = [write_register(ins, operand) for operand in destinations if not is_predicate(operand)]
    flags = [write_predicate(ins, operand) for operand in destinations if is_predicate(operand)]
    read: Callable[[Lanes], NDArray[Any]] = (read_integer64 if wide else read_integer)(ins, source, constants)

    def run(lanes: Lanes) -> None:
        active = lanes.active()
        values = np.broadcast_to(read(lanes), active.shape)
        masks = masks_of_equal(values, active)
        if every:
            all_equal = masks == pack(active)[:, None]
            masks = np.where(all_equal, masks, np.uint32(0))
            for write_flag in flags:
                write_flag(lanes, all_equal)
        else:
            record_values(lanes, masks, active)
        for write in registers:
            write(lanes, masks)

    return run


_REDUCTIONS: dict[str, tuple[Any, int]] = {
    "SUM": (np.add, 0),
    "AND": (np.bitwise_and, 0xFFFFFFFF),
    "OR": (np.bitwise_or, 0),
    "XOR": (np.bitwise_xor, 0),
    "MIN": (np.minimum, 0xFFFFFFFF),
    "MAX": (np.maximum, 0),
}
_SIGN = np.uint32(0x80000000)


@semantics("REDUX")
def _redux(ins: Instruction, constants: Constants) -> Execute:
    """Without an operation in its name REDUX is a bitwise and."""
    modifiers = Modifiers(ins)
    function, neutral = modifiers.choose(_REDUCTIONS, _REDUCTIONS["AND"])
    signed = modifiers.take("S32") and function in (np.minimum, np.maximum)
    modifiers.end()
    destination, source = operands_of(ins, 2)
    if not isinstance(destination, Register) or destination.file is not RegisterFile.UNIFORM:
        raise unsupported(ins, f"no semantics for destination {destination}")
    write, read = write_register(ins, destination), read_integer(ins, source, constants)

    def run(lanes: Lanes) -> None:
        active = lanes.active()
        values: U32 = np.broadcast_to(read(lanes), active.shape)
        # Signed order is unsigned order with the sign bit flipped.
        values = np.where(active, values ^ _SIGN if signed else values, np.uint32(neutral))
        result = function.reduce(values, axis=1, keepdims=True, dtype=np.uint32)
        write(lanes, result ^ _SIGN if signed else result)

    return run


@semantics("ELECT")
def _elect(ins: Instruction, constants: Constants) -> Execute:
    """The lowest active lane is elected: its predicate is true, its number goes to the uniform register."""
    del constants
    Modifiers(ins).end()
    flag, *rest = ins.operands
    write_flag = write_predicate(ins, flag)
    registers = [write_register(ins, operand) for operand in rest if not is_predicate(operand)]

    def run(lanes: Lanes) -> None:
        active: Bools = lanes.active()
        lowest = active.argmax(axis=1)[:, None]
        write_flag(lanes, lowest == _LANES)
        for write in registers:
            write(lanes, lowest.astype(np.uint32))

    return run
