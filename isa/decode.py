"""A disassembled line and its 128 bits to an Instruction, with the exact registers that it reads and writes."""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache

from isa.disassembly import Line
from isa.encoding import decode_control
from isa.errors import UnsupportedInstructionError
from isa.instruction import INSTRUCTION_BYTES, Instruction, SourceLine
from isa.opcodes import OpcodeRow, find_row, split_name
from isa.operand import (
    PT,
    RZ,
    URZ,
    Address,
    Constant,
    Immediate,
    Label,
    Operand,
    Register,
    RegisterFile,
    SpecialRegister,
)
from isa.operand_parser import parse_operand, parse_operands

_ZERO = {
    RegisterFile.GENERAL: RZ,
    RegisterFile.UNIFORM: URZ,
    RegisterFile.PREDICATE: PT,
    RegisterFile.UNIFORM_PREDICATE: PT,
    RegisterFile.CONVERGENCE: -1,  # every one of B0 to B15 is a register
}
_NUM_PREDICATES = 7
_IMMEDIATE = 32  # bit position
_REMEMBERED = 1 << 16  # instructions that need not be decoded again: programs repeat most of theirs


def decode(
    kernel: str, index: int, line: Line, encoding: int, *, symbols: Mapping[str, int], source: SourceLine | None
) -> Instruction:
    """Decode one instruction.

    Args:
        kernel: the kernel's name, for messages.
        index: position in the code.
        line: nvdisasm's text.
        encoding: the 128 bits.
        symbols: addresses of the function names that a branch may name.
        source: the place in the CUDA source, when known.

    Raises:
        UnsupportedInstructionError: the opcode is not in the table, or an operand has an unknown form.
    """
    place = f"{kernel}, address 0x{index * INSTRUCTION_BYTES:04x}: {line.text}"
    opcode, _, row = _named(line.opcode)
    if row is None:
        raise UnsupportedInstructionError(
            f"{place}: opcode {opcode} is not supported (tensor cores, TMA, textures, surfaces and clusters are not)"
        )
    try:
        if symbols or row.target:
            return replace(_decoded(index, line, encoding, symbols), source=source)
        return replace(_decoded_anywhere(line, encoding), index=index, source=source)
    except ValueError as error:
        raise UnsupportedInstructionError(f"{place}: {error}") from error


@cache
def _named(name: str) -> tuple[str, tuple[str, ...], OpcodeRow | None]:
    """A printed opcode, its modifiers and its row, if it is in the table."""
    opcode, modifiers = split_name(name)
    return opcode, modifiers, find_row(opcode, modifiers)


@lru_cache(maxsize=_REMEMBERED)
def _decoded_anywhere(line: Line, encoding: int) -> Instruction:
    """An instruction that is the same wherever it stands, at index 0."""
    return _decoded(0, line, encoding, {})


def _decoded(index: int, line: Line, encoding: int, symbols: Mapping[str, int]) -> Instruction:
    """An instruction of the table, without its source; raises ValueError for an operand of an unknown form."""
    opcode, modifiers, row = _named(line.opcode)
    assert row is not None
    guard = _guard(line.guard)
    operands = _with_target(parse_operands(line.operands, symbols), row, index)
    operands = tuple(_with_payload(operand, row, encoding) for operand in operands)
    destinations = row.count_destinations(operands)
    reads, writes = _registers(operands, destinations, row, modifiers)
    if guard is not None:
        reads |= set(_expand(guard, 1))
    return Instruction(
        index=index,
        opcode=opcode,
        modifiers=modifiers,
        guard=guard,
        operands=operands,
        destinations=destinations,
        reads=frozenset(reads),
        writes=frozenset(writes),
        control=decode_control(encoding),
        encoding=encoding,
        text=line.text,
        pipe=row.pipe,
        latency_class=row.latency_class,
    )


def _guard(text: str) -> Register | None:
    if not text:
        return None
    guard = parse_operand(text.removeprefix("@"), {})
    if not isinstance(guard, Register):
        raise ValueError(f"guard {text!r} is not a predicate")
    return guard


def _with_target(operands: tuple[Operand, ...], row: OpcodeRow, index: int) -> tuple[Operand, ...]:
    """Turn the code address of a branch into a Label."""
    last = operands[-1] if operands else None
    if not row.target or not isinstance(last, Immediate):
        return operands
    base = (index + 1) * INSTRUCTION_BYTES if row.target == "relative" else 0
    return (*operands[:-1], Label(base + int(last.value)))


def _with_payload(operand: Operand, row: OpcodeRow, encoding: int) -> Operand:
    """Give a NaN the sign and payload that the text ("+QNAN") leaves out: an FP64 immediate is the upper word of the
    number, an FP32 one is widened so that rounding to FP32 gives back its bits. FP16 NaNs keep the text's."""
    is_nan = isinstance(operand, Immediate) and isinstance(operand.value, float) and math.isnan(operand.value)
    if not is_nan or row.opcode.startswith("H"):
        return operand
    word = encoding >> _IMMEDIATE & 0xFFFF_FFFF
    widened = (word >> 31) << 63 | 0x7FF << 52 | (word & 0x7F_FFFF) << 29
    bits = word << 32 if row.pipe == "fp64" else widened
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    return Immediate(value)


def _registers(
    operands: tuple[Operand, ...], destinations: int, row: OpcodeRow, modifiers: tuple[str, ...]
) -> tuple[set[Register], set[Register]]:
    reads: set[Register] = set()
    writes: set[Register] = set()
    described = any(isinstance(operand, Address) and operand.descriptor is not None for operand in operands)
    for position, (operand, width) in enumerate(zip(operands, row.operand_widths(operands), strict=True)):
        written = position < destinations
        if isinstance(operand, Register):
            (writes if written else reads).update(_expand(operand, width))
        elif isinstance(operand, Constant):
            for part in (operand.register, operand.bank):
                if isinstance(part, Register):
                    reads.update(_expand(part, 1 if part is operand.register else 2))
        elif isinstance(operand, Address):
            # LDGSTS has two addresses: the global one with a descriptor, the shared one without.
            wide = "E" in modifiers and (operand.descriptor is not None or not described)
            reads.update(_address_registers(operand, wide))
        elif isinstance(operand, SpecialRegister) and operand.name in ("PR", "UPR"):
            (writes if written else reads).update(_predicate_set(operand.name, operands))
    return reads, writes


def _address_registers(address: Address, wide: bool) -> Iterator[Register]:
    """Global and generic addresses (.E) are 64 bits wide, unless a 32-bit offset is added to a uniform register."""
    if address.register is not None:
        narrow = not wide or "U32" in address.register.selector.split(".")
        yield from _expand(address.register, 1 if narrow else 2)
    if address.uniform is not None:
        yield from _expand(address.uniform, 2 if wide else 1)
    if address.descriptor is not None:
        yield from _expand(address.descriptor, 2)


def _predicate_set(name: str, operands: tuple[Operand, ...]) -> Iterator[Register]:
    """The predicates that P2R and R2P move: the set bits of the mask, which is the last operand."""
    mask = operands[-1]
    bits = int(mask.value) if isinstance(mask, Immediate) else (1 << _NUM_PREDICATES) - 1
    file = RegisterFile.PREDICATE if name == "PR" else RegisterFile.UNIFORM_PREDICATE
    for i in range(_NUM_PREDICATES):
        if bits >> i & 1:
            yield Register(file, i)


def _expand(register: Register, width: int) -> Iterator[Register]:
    """The 32-bit registers of an operand, plain; nothing for RZ, URZ, PT and UPT."""
    if register.index != _ZERO[register.file]:
        for i in range(width):
            yield Register(register.file, register.index + i)
