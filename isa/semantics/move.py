"""Moves: MOV, UMOV, R2UR, and predicates packed into registers and back (P2R, R2P, UP2UR, UR2UP)."""

import numpy as np

from isa.emulator.lanes import U32, Lanes
from isa.instruction import Instruction
from isa.operand import PT, Immediate, Operand, SpecialRegister
from isa.semantics.operands import Modifiers, Read32, operands_of, read_integer, write_register
from isa.semantics.registry import Constants, Execute, semantics, unsupported

_BYTES = {"B0": 0, "B1": 8, "B2": 16, "B3": 24}


@semantics("MOV", "UMOV")
def lower_mov(ins: Instruction, constants: Constants) -> Execute:
    """``d = a``."""
    Modifiers(ins).end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)
    return lambda lanes: write(lanes, read(lanes))


@semantics("R2UR")
def lower_r2ur(ins: Instruction, constants: Constants) -> Execute:
    """A general register into a uniform one: the value of the first lane that executes."""
    Modifiers(ins).end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)

    def execute(lanes: Lanes) -> None:
        values = np.broadcast_to(read(lanes), (lanes.count, 32))
        first = lanes.active().argmax(axis=1)[:, np.newaxis]
        write(lanes, np.take_along_axis(values, first, axis=1))

    return execute


def _mask(ins: Instruction, operand: Operand, constants: Constants) -> int:
    if isinstance(operand, Immediate) and isinstance(operand.value, int):
        return operand.value & 0xFF
    raise unsupported(ins, "the mask is not an immediate")


@semantics("P2R", "UP2UR")
def lower_p2r(ins: Instruction, constants: Constants) -> Execute:
    """Predicates under the mask into a byte of the destination; the other bits are those of the source."""
    modifiers = Modifiers(ins)
    shift = modifiers.choose(_BYTES, 0)
    modifiers.end()
    destination, special, source, mask_operand = operands_of(ins, 4)
    uniform = _check_predicates(ins, special)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)
    mask = _mask(ins, mask_operand, constants)
    # Bit 7 is the place of PT, which is not stored.
    kept = np.uint32(~(mask << shift) & 0xFFFFFFFF)
    indices = [i for i in range(PT) if mask >> i & 1]

    def execute(lanes: Lanes) -> None:
        result = read(lanes) & kept
        for i in indices:
            bit = lanes.uniform_predicate(i) if uniform else lanes.predicate(i)
            result = result | bit.astype(np.uint32) << np.uint32(i + shift)
        write(lanes, result)

    return execute


@semantics("R2P", "UR2UP")
def lower_r2p(ins: Instruction, constants: Constants) -> Execute:
    """A byte of a register into the predicates under the mask."""
    modifiers = Modifiers(ins)
    shift = modifiers.choose(_BYTES, 0)
    modifiers.end()
    special, source, mask_operand = operands_of(ins, 3)
    uniform = _check_predicates(ins, special)
    read: Read32 = read_integer(ins, source, constants, selectors=tuple(_BYTES))
    shift = _BYTES.get(getattr(source, "selector", ""), shift)
    mask = _mask(ins, mask_operand, constants)
    indices = [i for i in range(PT) if mask >> i & 1]

    def execute(lanes: Lanes) -> None:
        values: U32 = read(lanes)
        for i in indices:
            bit = (values >> np.uint32(i + shift) & np.uint32(1)).astype(np.bool_)
            if uniform:
                lanes.set_uniform_predicate(i, bit)
            else:
                lanes.set_predicate(i, bit)

    return execute


def _check_predicates(ins: Instruction, operand: Operand) -> bool:
    """Whether the predicates are the uniform ones."""
    if isinstance(operand, SpecialRegister) and operand.name in ("PR", "UPR"):
        return operand.name == "UPR"
    raise unsupported(ins, f"operand {operand} where PR or UPR is known")
