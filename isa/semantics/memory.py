"""Loads and stores: global, shared, local and generic."""

from collections.abc import Callable

import numpy as np

from isa.emulator import access
from isa.emulator.lanes import U64, WARP_SIZE, Lanes
from isa.instruction import Instruction
from isa.operand import RZ, URZ, Address, Operand, Register, RegisterFile
from isa.semantics.operands import Modifiers, is_predicate, is_true, write_predicate
from isa.semantics.registry import Constants, Execute, semantics, unsupported

# Scope, ordering, and cache hints: they change nothing where every access is seen at once.
HINTS = (
    *("E", "WEAK", "STRONG", "CONSTANT", "CTA", "SM", "GPU", "SYS", "MMIO", "PRIVATE"),
    *("EF", "EL", "LU", "EU", "NA", "LTC64B", "LTC128B", "LTC256B", "BYPASS", "ACCESS"),
)

# Width in bytes and whether a narrow value is sign-extended.
WIDTHS = {
    **{"U8": (1, False), "S8": (1, True), "U16": (2, False), "S16": (2, True)},
    **{"32": (4, False), "64": (8, False), "128": (16, False)},
}

_SPACES = {
    **{"LDG": access.GLOBAL, "STG": access.GLOBAL, "ATOMG": access.GLOBAL, "REDG": access.GLOBAL},
    **{"RED": access.GENERIC, "LD": access.GENERIC, "ST": access.GENERIC},
    **{"ATOM": access.GENERIC, "QSPC": access.GENERIC, "LDS": access.SHARED, "STS": access.SHARED},
    **{"ATOMS": access.SHARED, "LDL": access.LOCAL, "STL": access.LOCAL},
}
_SCALES = {"": 0, "64": 0, "U32": 0, "X4": 2, "X8": 3, "X16": 4}

ReadAddress = Callable[[Lanes], U64]


def take_hints(modifiers: Modifiers) -> None:
    """Take the modifiers that have no effect on values."""
    for hint in HINTS:
        modifiers.take(hint)


def space_of(ins: Instruction) -> int:
    """The space that an opcode addresses, as ``isa.emulator.access`` numbers them."""
    return _SPACES[ins.opcode]


def may_touch_local(ins: Instruction) -> bool:
    """Whether an opcode addresses local memory, by its own or by generic addresses."""
    return _SPACES.get(ins.opcode) in {access.LOCAL, access.GENERIC}


def read_address(ins: Instruction, operand: Operand, space: int) -> ReadAddress:
    """A closure that computes an address operand into the scratch room, uint64 (n, 32).

    Global and generic addresses are 64 bits wide, from register pairs; shared and local ones 32.
    """
    if not isinstance(operand, Address):
        raise unsupported(ins, f"operand {operand} where an address is known")
    wide = space in (access.GLOBAL, access.GENERIC)
    if wide and "E" not in ins.modifiers:
        raise unsupported(ins, "only 64-bit (.E) global and generic addresses have semantics")
    register, uniform = operand.register, operand.uniform
    selectors = register.selector.split(".") if register else [""]
    if any(selector not in _SCALES for selector in selectors):
        raise unsupported(ins, f"no semantics for address selector {'.'.join(selectors)}")
    pair = wide and "U32" not in selectors
    shift = sum(_SCALES[selector] for selector in selectors)
    offset = operand.offset % (1 << 64)
    index, high = (register.index if register else RZ), RZ
    if pair and index != RZ:
        high = index + 1
    uniform_index, uniform_high = (uniform.index if uniform else URZ), URZ
    if wide and uniform_index != URZ:
        uniform_high = uniform_index + 1
    limit = (1 << 64) - 1 if wide else 0xFFFFFFFF

    registers, uniforms = (index, high), (uniform_index, uniform_high)
    return lambda lanes: lanes.address(registers, uniforms, offset, shift, limit)


def general_register(ins: Instruction, operand: Operand) -> int:
    """The index of a plain general register."""
    if not isinstance(operand, Register) or operand.file is not RegisterFile.GENERAL or operand.negate:
        raise unsupported(ins, f"operand {operand} where a general register is known")
    return operand.index


def _width(ins: Instruction) -> tuple[int, bool]:
    modifiers = Modifiers(ins)
    width = modifiers.choose(WIDTHS, (4, False))
    take_hints(modifiers)
    modifiers.end()
    return width


@semantics("LDG", "LD", "LDS", "LDL")
def _load(ins: Instruction, constants: Constants) -> Execute:
    del constants
    space = space_of(ins)
    width, signed = _width(ins)
    operands = [operand for operand in ins.operands if not is_predicate(operand)]
    if len(operands) != 2 or any(is_predicate(operand) and not is_true(operand) for operand in ins.operands):
        raise unsupported(ins, "no semantics for a load with a predicate operand")
    destination = general_register(ins, operands[0])
    read = read_address(ins, operands[1], space)

    return lambda lanes: lanes.load(lanes.locate(ins, space, width, read(lanes)), width, signed, destination)


@semantics("STG", "ST", "STS", "STL")
def _store(ins: Instruction, constants: Constants) -> Execute:
    del constants
    space = space_of(ins)
    width, _ = _width(ins)
    if len(ins.operands) != 2:
        raise unsupported(ins, "no semantics for a store with these operands")
    source = general_register(ins, ins.operands[1])
    read = read_address(ins, ins.operands[0], space)

    return lambda lanes: lanes.store(lanes.locate(ins, space, width, read(lanes)), width, source)


@semantics("LDGSTS")
def _copy_to_shared(ins: Instruction, constants: Constants) -> Execute:
    """Global to shared memory, at once rather than in the background; the trace holds the global access."""
    del constants
    width, _ = _width(ins)
    if len(ins.operands) != 2 or width < 4:
        raise unsupported(ins, "no semantics for a copy with these operands")
    read_target = read_address(ins, ins.operands[0], access.SHARED)
    read_source = read_address(ins, ins.operands[1], access.GLOBAL)

    def run(lanes: Lanes) -> None:
        words = lanes.batch.memory.words
        copied = np.zeros((width // 4, lanes.count, WARP_SIZE), np.uint32)
        where = lanes.locate(ins, access.GLOBAL, width, read_source(lanes))
        access.load_words(words, where, lanes.active(), copied)
        where = lanes.locate(ins, access.SHARED, width, read_target(lanes), record=False)
        access.store_words(words, where, lanes.active(), copied)
        lanes.batch.changes += 1

    return run


_QUERIES = {"S": access.SHARED_WINDOW >> 32, "L": access.LOCAL_WINDOW >> 32}


@semantics("QSPC")
def _qspc(ins: Instruction, constants: Constants) -> Execute:
    """Whether a generic address is shared (.S), local (.L) or global (.G)."""
    del constants
    modifiers = Modifiers(ins)
    modifiers.take("E")
    kind = modifiers.require({"S": "S", "L": "L", "G": "G"})
    modifiers.end()
    flag, destination, address = ins.operands
    if general_register(ins, destination) != RZ:
        raise unsupported(ins, "no semantics for the register result")
    write, read = write_predicate(ins, flag), read_address(ins, address, access.GENERIC)

    def run(lanes: Lanes) -> None:
        window = read(lanes) >> np.uint64(32)
        if kind == "G":
            write(lanes, ~np.isin(window, list(_QUERIES.values())))
        else:
            write(lanes, window == _QUERIES[kind])

    return run
