"""Convergence within a warp: BSSY, BSYNC, BREAK, BMOV, WARPSYNC.

What they do to a warp's splits is in ``isa.emulator.batch``; here their operands are read.
"""

import numpy as np
from numpy.typing import NDArray

from isa.emulator.controls import Meet, guard_reader
from isa.emulator.group import pack
from isa.emulator.lanes import Lanes
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Label, Register, RegisterFile
from isa.semantics.guards import guarded, guarded_as_one
from isa.semantics.operands import Modifiers, is_predicate, read_integer, read_predicate
from isa.semantics.registry import Constants, Control, Execute, control, semantics, unsupported
from isa.semantics.warp import masks_of_equal, record_values
from isa.trace.recorded import names_lanes


def _barrier_index(ins: Instruction, position: int) -> int:
    operand = ins.operands[position]
    if not isinstance(operand, Register) or operand.file is not RegisterFile.CONVERGENCE:
        raise unsupported(ins, f"operand {operand} where a convergence barrier is known")
    return operand.index


@semantics("BSSY")
def _bssy(ins: Instruction, constants: Constants) -> Execute:
    del constants
    Modifiers(ins).end()
    register = _barrier_index(ins, 0)

    return lambda lanes: lanes.meet_at(register)


@control("BSYNC")
def _bsync(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()
    return guarded(ins, Meet(ins.index, _barrier_index(ins, 0)))


@control("BREAK")
def _break(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()
    register, following = _barrier_index(ins, len(ins.operands) - 1), ins.index + 1
    condition = read_predicate(ins, ins.operands[0]) if len(ins.operands) > 1 else None

    read_guard = None if ins.guard is None else guard_reader(ins.guard)

    def run(lanes: Lanes) -> int | None:
        leaving = lanes.active()
        if condition is not None:
            leaving = condition(lanes) & leaving
        if read_guard is not None:
            leaving = read_guard(lanes) & leaving
        lanes.batch.leave_barrier(register, leaving)
        return following

    return guarded_as_one(ins, run)


@control("WARPSYNC")
def _warpsync(ins: Instruction, constants: Constants) -> Control:
    """WARPSYNC, and WARPSYNC.COLLECTIVE, which the compiler pairs with ENDCOLLECTIVE.

    The compiler moves a SHFL that may execute in a diverged warp out of line, between the two, with the same registers
    at every such place: all lanes execute the one of whoever came last, then each goes on at its own label.
    WARPSYNC.EXCLUSIVE, before a REDUX of some lanes, lets those of one mask go on, that of the lowest lane; the others
    execute it once more. An H100 counts it once for each mask.
    """
    modifiers = Modifiers(ins)
    everyone = modifiers.take("ALL")
    collective = modifiers.take("COLLECTIVE")
    exclusive = modifiers.take("EXCLUSIVE")
    modifiers.end()
    index = ins.index
    labels = [operand.address // INSTRUCTION_BYTES for operand in ins.operands if isinstance(operand, Label)]
    operands = [operand for operand in ins.operands if not isinstance(operand, Label) and not is_predicate(operand)]
    if collective and len(labels) != 1:
        raise unsupported(ins, "a collective without a label")
    full: NDArray[np.uint32] = np.full((1, 1), 0xFFFFFFFF, np.uint32)
    members = (lambda lanes: full) if everyone or not operands else read_integer(ins, operands[0], constants)

    def run(lanes: Lanes) -> int | None:
        batch = lanes.batch
        masks = members(lanes)
        if collective:
            batch.collective_return[lanes.first : lanes.last][lanes.active()] = labels[0]
        elif names_lanes(ins):
            active = lanes.active()
            turns = np.zeros_like(masks) if exclusive else masks  # one mask has its turn
            record_values(lanes, masks_of_equal(np.broadcast_to(turns, active.shape), active), active)
        if not batch.sync_warp(masks, index, collective):
            return None
        if exclusive:
            active = lanes.active()
            masks = np.broadcast_to(masks, active.shape)
            theirs = np.take_along_axis(masks, active.argmax(axis=1, keepdims=True), axis=1)
            if (active & (masks != theirs)).any():
                batch.scatter(np.where(masks == theirs, index + 1, index), again=index)
                return None
        return index + 1

    return guarded(ins, run)


@control("ENDCOLLECTIVE")
def _endcollective(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()

    def run(lanes: Lanes) -> int | None:
        batch = lanes.batch
        targets = batch.collective_return[lanes.first : lanes.last]
        active = targets[lanes.active()]
        if (active == active[0]).all():
            return int(active[0])
        batch.scatter(targets)
        return None

    return guarded(ins, run)


@semantics("BMOV")
def _bmov(ins: Instruction, constants: Constants) -> Execute:
    modifiers = Modifiers(ins)
    if not modifiers.take("32"):
        raise unsupported(ins, "only BMOV.32 has semantics")
    clear = modifiers.take("CLEAR")
    modifiers.end()
    destination, source = ins.operands
    if isinstance(destination, Register) and destination.file is RegisterFile.CONVERGENCE:
        register, value = destination.index, read_integer(ins, source, constants)

        def write(lanes: Lanes) -> None:
            masks = lanes.batch.convergence[register, lanes.first : lanes.last]
            np.copyto(masks, value(lanes), where=lanes.active())
            lanes.batch.restored[register, lanes.first : lanes.last] |= pack(lanes.active())

        return write
    register = _barrier_index(ins, 1)
    if not isinstance(destination, Register) or destination.file is not RegisterFile.GENERAL:
        raise unsupported(ins, f"no semantics for destination {destination}")
    general = destination.index

    def read(lanes: Lanes) -> None:
        masks = lanes.batch.convergence[register, lanes.first : lanes.last]
        lanes.set_register(general, masks)
        if clear:
            np.copyto(masks, np.uint32(0), where=lanes.active())

    return read
