"""Atomic operations on global, shared and generic addresses."""

from collections.abc import Callable
from itertools import count, repeat

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access, atomic
from isa.emulator.lanes import U32, WARP_SIZE, Lanes, Where
from isa.emulator.memory import Memory
from isa.instruction import Instruction
from isa.operand import RZ, Address, Operand
from isa.semantics.memory import general_register, read_address, space_of, take_hints
from isa.semantics.operands import Modifiers, is_predicate, is_true, write_predicate
from isa.semantics.registry import Constants, Execute, semantics, unsupported

_OPERATIONS = {
    **{"ADD": atomic.ADD, "MIN": atomic.MIN, "MAX": atomic.MAX, "INC": atomic.INC, "DEC": atomic.DEC},
    **{"AND": atomic.AND, "OR": atomic.OR, "XOR": atomic.XOR, "EXCH": atomic.EXCH},
    **{"CAS": atomic.CAS, "CAST": atomic.CAST},
}
_COMPARING = (atomic.CAS, atomic.CAST)

# Words and signedness of integer types; no modifier means U32.
_INTEGERS = {"U32": (1, False), "S32": (1, True), "32": (1, False), "U64": (2, False), "64": (2, False)}
_INTEGERS["S64"] = (2, True)
_FLOATS = {"F32": 1, "F64": 2, "F32x2": 2, "F32x4": 4, "F16x2": 1, "BF16x2": 1, "BF16_V2": 1}

# memory, where, mask, values (words, n, 32), compares (words, n, 32) -> old values (words, n, 32)
Apply = Callable[[Memory, Where, NDArray[np.bool_], U32, U32], U32]


@semantics("ATOM", "ATOMG", "ATOMS", "RED", "REDG")
def _atomic(ins: Instruction, constants: Constants) -> Execute:
    """Generic floating-point atomics work on global memory only.

    Their predicate tells the lanes for which it was done; code does the others itself, in shared or local memory.
    """
    del constants
    apply, words, compares, floating = _operation(ins)
    flag, destination, address, sources = _split_operands(ins)
    if "POPC" in ins.modifiers and not sources:
        sources = [RZ]
    if len(sources) != (2 if compares else 1):
        raise unsupported(ins, "no semantics for an atomic with these operands")
    space = space_of(ins)
    read = read_address(ins, address, space)
    write_flag = write_predicate(ins, flag) if flag is not None and not is_true(flag) else None
    if write_flag is not None and not (floating and space == access.GENERIC):
        raise unsupported(ins, "no semantics for the predicate result")
    swapped = _swapped if "CAS" in ins.modifiers else _reported
    only_global = floating and space == access.GENERIC

    def run(lanes: Lanes) -> None:
        addresses = read(lanes)
        mask = lanes.active()
        where = lanes.locate(ins, space, 4 * words, addresses)
        if only_global:
            window = addresses >> np.uint64(32)
            mask = mask & (window != access.SHARED_WINDOW >> 32) & (window != access.LOCAL_WINDOW >> 32)
            if write_flag is not None:
                write_flag(lanes, mask)
        values = lanes.registers(sources[-1], words)
        comparands = lanes.registers(sources[0], words)
        old = apply(lanes.batch.memory, where, mask, values, comparands)
        if not compares or (swapped(old, comparands) & mask).any():
            lanes.batch.changes += 1
        if destination != RZ:
            for word in range(words):
                np.copyto(lanes.register(destination + word), old[word], where=mask)

    return run


def _swapped(old: U32, comparands: U32) -> NDArray[np.bool_]:
    """Lanes in which CAS may have found what it compared with: its low word."""
    same: NDArray[np.bool_] = old[0] == comparands[0]
    return same


def _reported(old: U32, comparands: U32) -> NDArray[np.bool_]:
    """Lanes in which CAST says that it has swapped."""
    del comparands
    done: NDArray[np.bool_] = old[0] != 0
    return done


def _split_operands(ins: Instruction) -> tuple[Operand | None, int, Address, list[int]]:
    """Predicate result (or None), destination register (RZ when there is none), address, source registers."""
    position = next((i for i, operand in enumerate(ins.operands) if isinstance(operand, Address)), None)
    if position is None:
        raise unsupported(ins, "no address operand")
    before, address, after = ins.operands[:position], ins.operands[position], ins.operands[position + 1 :]
    flags = [operand for operand in before if is_predicate(operand)]
    registers = [general_register(ins, operand) for operand in before if not is_predicate(operand)]
    if len(flags) > 1 or len(registers) > 1 or not isinstance(address, Address):
        raise unsupported(ins, "no semantics for an atomic with these operands")
    sources = [general_register(ins, operand) for operand in after]
    return flags[0] if flags else None, registers[0] if registers else RZ, address, sources


def _operation(ins: Instruction) -> tuple[Apply, int, bool, bool]:
    """The operation, its width in words, whether it takes a value to compare with, and whether it is on floats."""
    modifiers = Modifiers(ins)
    if modifiers.take("POPC"):
        return _popc_inc(modifiers), 1, False, False
    op = modifiers.require(_OPERATIONS)
    take_hints(modifiers)
    modifiers.take("SPIN")
    for name, words in _FLOATS.items():
        if modifiers.take(name):
            if op != atomic.ADD:
                raise unsupported(ins, f"no semantics for this operation on {name}")
            flush = modifiers.take("FTZ")
            modifiers.take("RN")
            modifiers.end()
            return _add_float(name, flush), words, False, True
    words, signed = modifiers.choose(_INTEGERS, (1, False))
    modifiers.end()
    # Warps that try again until they have swapped begin in turn, so that each has as many tries as the others.
    beginners = count() if op in _COMPARING else repeat(0)

    def apply(memory: Memory, where: Where, mask: NDArray[np.bool_], values: U32, compares: U32) -> U32:
        old = np.zeros(values.shape, np.uint32)
        atomic.integer(memory.words, where, mask, op, words == 2, signed, values, compares, old, next(beginners))
        return old

    return apply, words, op in _COMPARING, False


def _popc_inc(modifiers: Modifiers) -> Apply:
    """ATOMS.POPC.INC adds one for every lane; its operand, when there is one, is not read."""
    modifiers.take("INC")
    modifiers.take("32")
    modifiers.end()

    def apply(memory: Memory, where: Where, mask: NDArray[np.bool_], values: U32, compares: U32) -> U32:
        del compares
        old = np.zeros(values.shape, np.uint32)
        ones = np.ones((1, len(mask), WARP_SIZE), np.uint32)
        atomic.integer(memory.words, where, mask, atomic.ADD, False, False, ones, ones, old, 0)
        return old

    return apply


def _add_float(name: str, flush: bool) -> Apply:
    def apply(memory: Memory, where: Where, mask: NDArray[np.bool_], values: U32, compares: U32) -> U32:
        del compares
        old = np.zeros(values.shape, np.uint32)
        if name in {"F32", "F32x2", "F32x4"}:
            floats = memory.words.view(np.float32)
            for word in range(len(values)):
                atomic.add_float32(memory.words, floats, where + 4 * word, mask, flush, values[word], old[word])
        elif name == "F64":
            both = np.ascontiguousarray(np.moveaxis(values, 0, -1)).view(np.float64)[..., 0]
            before = np.zeros(both.shape)
            atomic.add_float64(memory.words.view(np.float64), where, mask, both, before)
            old = np.moveaxis(before[..., None].view(np.uint32), -1, 0)
        else:
            add = atomic.add_float16 if name == "F16x2" else atomic.add_bfloat16
            atomic.add_halves(memory.words, where, mask, values[0], old[0], add)
        return old

    return apply
