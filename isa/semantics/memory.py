"""Loads and stores: global, shared, local and generic."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access, faults
from isa.emulator.lanes import U64, WARP_SIZE, Lanes
from isa.errors import KernelError
from isa.instruction import Instruction
from isa.operand import RZ, URZ, Address, Operand, Register, RegisterFile
from isa.semantics.operands import Modifiers, is_predicate, is_true, write_predicate
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.trace.model import Space

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
_OFFSET = np.uint64(0xFFFFFFFF)

ReadAddress = Callable[[Lanes], U64]
Where = NDArray[np.int64]


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

    def read(lanes: Lanes) -> U64:
        address = lanes.scratch.address
        access.add_up(
            lanes.register(index),
            lanes.register(high),
            lanes.uniform(uniform_index),
            lanes.uniform(uniform_high),
            offset,
            shift,
            limit,
            address,
        )
        return address

    return read


def locate(  # noqa: PLR0917
    ins: Instruction, lanes: Lanes, space: int, width: int, address: U64, record: bool = True
) -> Where:
    """Check the access of the active lanes, record it, and return the byte offsets of ``address``, int64 (n, 32).

    Raises:
        KernelError: a lane's address is misaligned or outside what the kernel may touch.
    """
    batch = lanes.batch
    memory = batch.memory
    mask = lanes.active()
    scratch = lanes.scratch
    where, found = scratch.where, scratch.found
    fault = access.translate(address, mask, width, space, memory.tables, memory.geometry, lanes.first, where, found)
    if fault >= 0:
        raise _fault(ins, lanes, space, width, address, fault)
    if not record:
        return where
    if space == access.GENERIC:
        # Lanes of one generic access that fall into different spaces are recorded as global.
        kind = Space.GLOBAL if found[access.GLOBAL] or found.sum() > 1 else Space(int(found.argmax()))
        recorded = address if kind is Space.GLOBAL else address & _OFFSET
    else:
        kind, recorded = Space(space), address
    batch.recorder.access(lanes.first, kind, width, mask, recorded, scratch.keys)
    return where


def _fault(  # noqa: PLR0917
    ins: Instruction, lanes: Lanes, space: int, width: int, address: U64, fault: int
) -> KernelError:
    code, position = fault >> 32, fault & 0xFFFFFFFF
    row, lane = divmod(position, WARP_SIZE)
    batch = lanes.batch
    target = int(address[row, lane])
    what = {
        access.MISALIGNED: f"misaligned address {target:#x}: an access of {width} bytes needs a multiple of {width}",
        access.OUT_OF_BOUNDS: f"illegal address {target:#x} for an access of {width} bytes",
    }[code]
    return KernelError(
        f"{faults.place(batch.program, ins.index)}: {what}; {batch.memory.where_is(target, space)}; "
        f"{batch.thread_name(lanes.first + row, lane)}"
    )


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
    destination, words = general_register(ins, operands[0]), max(1, width // 4)
    read = read_address(ins, operands[1], space)

    def run(lanes: Lanes) -> None:
        where = locate(ins, lanes, space, width, read(lanes))
        memory, out = lanes.batch.memory, lanes.registers(destination, words)
        if width >= 4:
            access.load_words(memory.words, where, lanes.active(), out)
        else:
            access.load_narrow(memory.bytes, where, lanes.active(), width, signed, out[0])

    return run


@semantics("STG", "ST", "STS", "STL")
def _store(ins: Instruction, constants: Constants) -> Execute:
    del constants
    space = space_of(ins)
    width, _ = _width(ins)
    if len(ins.operands) != 2:
        raise unsupported(ins, "no semantics for a store with these operands")
    source, words = general_register(ins, ins.operands[1]), max(1, width // 4)
    read = read_address(ins, ins.operands[0], space)

    def run(lanes: Lanes) -> None:
        where = locate(ins, lanes, space, width, read(lanes))
        memory, values = lanes.batch.memory, lanes.registers(source, words)
        lanes.batch.changes += 1
        if width >= 4:
            access.store_words(memory.words, where, lanes.active(), values)
        else:
            access.store_narrow(memory.bytes, where, lanes.active(), width, values[0])

    return run


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
        where = locate(ins, lanes, access.GLOBAL, width, read_source(lanes))
        access.load_words(words, where, lanes.active(), copied)
        where = locate(ins, lanes, access.SHARED, width, read_target(lanes), record=False)
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
