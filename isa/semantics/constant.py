"""Loads from constant banks."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import WARP_SIZE, Lanes
from isa.instruction import Instruction
from isa.operand import Constant, Register, RegisterFile
from isa.semantics.operands import Modifiers, operands_of
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.trace.model import Space

_WIDTHS = {"U8": (1, False), "S8": (1, True), "U16": (2, False), "S16": (2, True), "32": (4, False), "64": (8, False)}


@semantics("LDC", "ULDC")
def _ldc(ins: Instruction, constants: Constants) -> Execute:
    modifiers = Modifiers(ins)
    width, signed = modifiers.choose(_WIDTHS, (4, False))
    modifiers.end()
    destination, source = operands_of(ins, 2)
    if not isinstance(destination, Register) or not isinstance(source, Constant) or isinstance(source.bank, Register):
        raise unsupported(ins, "no semantics for a bindless constant bank")
    words = max(1, width // 4)
    uniform = destination.file is RegisterFile.UNIFORM
    first = destination.index

    def write(lanes: Lanes, values: list[NDArray[np.uint32]]) -> None:
        for word, value in enumerate(values):
            if uniform:
                lanes.set_uniform(first + word, value)
            else:
                lanes.set_register(first + word, value)

    index = source.register
    if index is None:
        offsets = np.full((1, 1), source.offset, np.int64)
        fixed = _gather(constants.bank(source.bank), offsets, width, signed, words)
        return lambda lanes: write(lanes, fixed)

    read = _index_reader(ins, index)
    bank, offset = source.bank, source.offset

    def run(lanes: Lanes) -> None:
        offsets = (read(lanes).astype(np.int64) + offset) & 0xFFFFFFFF
        full = np.ascontiguousarray(np.broadcast_to(offsets, (lanes.count, WARP_SIZE)))
        addresses = full.view(np.uint64) | np.uint64(bank << 32)
        lanes.batch.recorder.access(lanes.first, Space.CONSTANT, width, lanes.active(), addresses)
        write(lanes, _gather(constants.bank(bank), offsets, width, signed, words))

    return run


def _index_reader(ins: Instruction, index: Register) -> Callable[[Lanes], NDArray[np.uint32]]:
    if index.negate or index.invert or index.absolute or index.selector:
        raise unsupported(ins, f"no semantics for index {index}")
    if index.file is RegisterFile.UNIFORM:
        return lambda lanes: lanes.uniform(index.index)
    return lambda lanes: lanes.register(index.index)


def _gather(
    bank: NDArray[np.uint8], offsets: NDArray[np.int64], width: int, signed: bool, words: int
) -> list[NDArray[np.uint32]]:
    """Load ``width`` bytes at byte ``offsets`` of a bank, as words; past the bank's end there are zeros."""
    size = min(width, 4)
    values = []
    for word in range(words):
        value = np.zeros(offsets.shape, np.uint32)
        for byte in range(size):
            place = offsets + (4 * word + byte)
            inside = place < bank.size
            data = bank[np.where(inside, place, 0)] if bank.size else np.zeros(place.shape, np.uint8)
            value |= np.where(inside, data, 0).astype(np.uint32) << np.uint32(8 * byte)
        if signed:
            shift = np.uint32(32 - 8 * size)
            value = ((value << shift).view(np.int32) >> shift.astype(np.int32)).view(np.uint32)
        values.append(value)
    return values
