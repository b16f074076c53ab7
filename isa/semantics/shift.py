"""Shifts and bit counting: SHF, SGXT, BMSK, PRMT, POPC, FLO, BREV and their uniform forms."""

from typing import Any

import numpy as np

from isa.emulator.lanes import Lanes
from isa.instruction import Instruction
from isa.semantics import integer_ufuncs
from isa.semantics.operands import Modifiers, Read32, operands_of, read_integer, write_register
from isa.semantics.registry import Constants, Execute, semantics

_WORD_BITS = np.uint32(32)
_ALL = np.uint32(0xFFFFFFFF)


@semantics("SHF", "USHF")
def lower_shf(ins: Instruction, constants: Constants) -> Execute:
    """Shift the 64 bits ``c:a`` by b and take the low word, with .HI the high word.

    The amount wraps at the type's width with .W and saturates there without. The type also says which bits come in.
    """
    modifiers = Modifiers(ins)
    left = modifiers.require({"L": True, "R": False})
    wrap = modifiers.take("W")
    signed, width = modifiers.require({"U32": (False, 32), "S32": (True, 32), "U64": (False, 64), "S64": (True, 64)})
    high = modifiers.take("HI")
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)
    amount = _amount(b, width, wrap)
    if width == 32 and left and not high:
        return lambda lanes: write(lanes, a(lanes) << amount(lanes))
    if width == 32 and not left and high:
        if signed:
            return lambda lanes: write(lanes, (c(lanes).view(np.int32) >> amount(lanes).view(np.int32)).view(np.uint32))
        return lambda lanes: write(lanes, c(lanes) >> amount(lanes))
    shift, take = integer_ufuncs.funnel_shift(left, signed), np.uint64(32 if high else 0)
    return lambda lanes: write(lanes, (shift(a(lanes), amount(lanes), c(lanes)) >> take).astype(np.uint32))


def _amount(read: Read32, width: int, wrap: bool) -> Read32:
    """The shift distance; NumPy shifts by a word's width or more give 0 (or the sign), as the hardware's do."""
    limit = np.uint32(width)
    mask = np.uint32(width - 1)
    if wrap:
        return lambda lanes: read(lanes) & mask
    return lambda lanes: np.minimum(read(lanes), limit)


@semantics("SGXT", "USGXT")
def lower_sgxt(ins: Instruction, constants: Constants) -> Execute:
    """Extend the low b bits of a by their sign, with .U32 by zeros; b wraps at 32 with .W and saturates without."""
    modifiers = Modifiers(ins)
    wrap, unsigned = modifiers.take("W"), modifiers.take("U32")
    modifiers.end()
    destination, first, second = operands_of(ins, 3)
    write = write_register(ins, destination)
    a, b = read_integer(ins, first, constants), read_integer(ins, second, constants)
    amount = _amount(b, 32, wrap)
    dtype: type[Any] = np.uint32 if unsigned else np.int32

    def execute(lanes: Lanes) -> None:
        distance = _WORD_BITS - amount(lanes)
        shifted = a(lanes) << distance
        write(lanes, (shifted.view(dtype) >> distance.view(dtype)).view(np.uint32))

    return execute


@semantics("BMSK", "UBMSK")
def lower_bmsk(ins: Instruction, constants: Constants) -> Execute:
    """A mask of b ones that starts at bit a; both wrap at 32 with .W and saturate without."""
    modifiers = Modifiers(ins)
    wrap = modifiers.take("W")
    modifiers.end()
    destination, first, second = operands_of(ins, 3)
    write = write_register(ins, destination)
    position = _amount(read_integer(ins, first, constants), 32, wrap)
    length = _amount(read_integer(ins, second, constants), 32, wrap)
    return lambda lanes: write(lanes, ~(_ALL << length(lanes)) << position(lanes))


@semantics("POPC", "UPOPC")
def lower_popc(ins: Instruction, constants: Constants) -> Execute:
    """The number of bits set."""
    Modifiers(ins).end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)
    return lambda lanes: write(lanes, np.bitwise_count(read(lanes)).astype(np.uint32))


@semantics("FLO", "UFLO")
def lower_flo(ins: Instruction, constants: Constants) -> Execute:
    """The position of the leading one (without .U32: of the leading bit that differs from the sign), or all ones.

    With .SH the left shift that would bring that bit to the top.
    """
    modifiers = Modifiers(ins)
    unsigned, shift = modifiers.take("U32"), modifiers.take("SH")
    modifiers.end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)

    def execute(lanes: Lanes) -> None:
        values = read(lanes)
        if not unsigned:
            values = values ^ (values.view(np.int32) >> np.int32(31)).view(np.uint32)
        # frexp's exponent of a double is exact for every 32-bit integer, and 0 for 0.
        position = np.frexp(values.astype(np.float64))[1] - 1
        if shift:
            position = np.where(position < 0, position, 31 - position)
        write(lanes, position.astype(np.uint32))

    return execute


@semantics("BREV", "UBREV")
def lower_brev(ins: Instruction, constants: Constants) -> Execute:
    """The bits in reverse order."""
    Modifiers(ins).end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)

    def execute(lanes: Lanes) -> None:
        values = read(lanes)
        for distance, mask in _SWAPS:
            values = (values >> distance) & mask | (values & mask) << distance
        write(lanes, values)

    return execute


_SWAPS = tuple(
    (np.uint32(distance), np.uint32(mask))
    for distance, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF))
)


# PTX ISA, prmt: by selector & 3, the bytes of {b:a} that become bytes 0, 1, 2, 3.
_MODES: dict[str, tuple[tuple[int, int, int, int], ...]] = {
    "F4E": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    "B4E": ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    "RC8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ECL": ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    "ECR": ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    "RC16": ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}


@semantics("PRMT", "UPRMT")
def lower_prmt(ins: Instruction, constants: Constants) -> Execute:
    """Pick four bytes of the eight of ``{c:a}``; b holds four selectors, or with a mode the mode's argument.

    Bit 3 of a selector copies the sign of its byte instead.
    """
    modifiers = Modifiers(ins)
    mode = modifiers.choose(_MODES, None)
    modifiers.take("IDX")
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)

    permute = integer_ufuncs.permute()
    if mode is None:
        return lambda lanes: write(lanes, permute(a(lanes), b(lanes), c(lanes)))
    selectors = np.array([sum(byte << 4 * i for i, byte in enumerate(row)) for row in mode], np.uint32)
    last = np.uint32(3)
    return lambda lanes: write(lanes, permute(a(lanes), selectors[b(lanes) & last], c(lanes)))
