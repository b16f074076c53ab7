"""Block barriers: BAR and the reductions that come with it."""

import numpy as np

from isa.emulator.barriers import NUM_BARRIERS, recorded_key
from isa.emulator.controls import Synchronise, guard_reader
from isa.emulator.lanes import U64, WARP_SIZE, Lanes
from isa.errors import KernelError
from isa.instruction import Instruction
from isa.operand import Register, SpecialRegister
from isa.semantics.guards import guarded_as_one
from isa.semantics.operands import (
    Modifiers,
    is_predicate,
    read_integer,
    read_predicate,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Control, Execute, control, semantics, unsupported
from isa.trace.model import Space


@control("BAR")
def _bar(ins: Instruction, constants: Constants) -> Control:
    modifiers = Modifiers(ins)
    operation = modifiers.require({"SYNC": "SYNC", "ARV": "ARV", "RED": "RED"})
    if operation == "RED":
        operation = modifiers.require({"POPC": "POPC", "AND": "AND", "OR": "OR"})
    modifiers.take("DEFER_BLOCKING")
    modifiers.end()
    operands = [operand for operand in ins.operands if not is_predicate(operand)]
    numbers = [read_integer(ins, operand, constants) for operand in operands]
    packed = len(operands) == 2 and all(isinstance(operand, Register) for operand in operands)
    read_guard = None if ins.guard is None else guard_reader(ins.guard)
    predicates = [read_predicate(ins, operand) for operand in ins.operands if is_predicate(operand)]
    if len(numbers) not in (1, 2) or len(predicates) > 1:
        raise unsupported(ins, "no semantics for these operands")
    index = ins.index

    def read_keys(lanes: Lanes) -> U64:
        """Barrier and count as one number, as the trace keeps them: id | expected warps << 16."""
        ids = numbers[0](lanes)
        counts = numbers[1](lanes) if len(numbers) == 2 else np.zeros((1, 1), np.uint32)
        if packed:  # one register, printed twice: the count of threads in its upper half, the barrier's number below
            ids, counts = ids & np.uint32(0xFFFF), counts >> np.uint32(16)
        return (ids | (counts // WARP_SIZE) << 16).astype(np.uint64)

    def run(lanes: Lanes) -> int | None:
        batch = lanes.batch
        keys = read_keys(lanes)
        is_one = keys.size == 1
        keys = np.ascontiguousarray(np.broadcast_to(keys, (lanes.count, WARP_SIZE)))
        active = lanes.active()
        chosen_keys = [int(keys[0, 0])] if is_one else np.unique(keys[active]).tolist()
        batch.recorder.access(lanes.first, Space.BARRIER, 0, active, recorded_key(keys, batch.warps_per_block))
        group = batch.group
        whole = True
        waiting = []
        for key in chosen_keys:
            if key & 0xFFFF >= NUM_BARRIERS:
                raise KernelError(f"{batch.place(index)}: there is no barrier {key & 0xFFFF}, only 0 to 15")
            batch.group = group
            here = lanes if len(chosen_keys) == 1 else batch.choose(active & (keys == key))
            votes = predicates[0](here) & here.active() if predicates else None
            if votes is not None and read_guard is not None:
                votes = votes & read_guard(here)
            if not batch.arrive(key & 0xFFFF, key >> 16, operation, votes, index):
                whole = False
            elif len(chosen_keys) > 1:
                waiting.append(batch.group)
        if whole and len(chosen_keys) == 1:
            return index + 1
        for part in waiting:
            batch.group = part
            batch.resume_at(index + 1)
        return None

    return guarded_as_one(ins, Synchronise(read_keys, run) if operation == "SYNC" else run)


@semantics("B2R")
def _b2r(ins: Instruction, constants: Constants) -> Execute:
    del constants
    modifiers = Modifiers(ins)
    if not modifiers.take("RESULT") or any(isinstance(operand, SpecialRegister) for operand in ins.operands):
        raise unsupported(ins, "only B2R.RESULT has semantics")
    modifiers.end()
    write = write_register(ins, ins.operands[0])
    write_flag = write_predicate(ins, ins.operands[1]) if len(ins.operands) > 1 else None

    def run(lanes: Lanes) -> None:
        result = lanes.batch.barriers.result[lanes.first : lanes.last]
        write(lanes, np.broadcast_to(result, (lanes.count, WARP_SIZE)))
        if write_flag is not None:
            write_flag(lanes, result != 0)

    return run


@semantics("MEMBAR", "ERRBAR", "CGAERRBAR", "FENCE", "DEPBAR", "LDGDEPBAR", "CCTL", "CCTLL", "CCTLT", "CCTLS")
def _fence(ins: Instruction, constants: Constants) -> Execute:
    """Memory is consistent at every instruction here, so that ordering and cache control have nothing to do."""
    del ins, constants
    return lambda lanes: None
