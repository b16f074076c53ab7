"""Integer addition: IADD3 with its carry chains, VIADD, LEA, IABS, absolute differences, and the uniform ones."""

from collections.abc import Callable

import numpy as np

from isa.emulator.lanes import U32, U64, Lanes
from isa.instruction import Instruction
from isa.operand import Immediate, Operand
from isa.semantics.operands import (
    U16,
    Modifiers,
    Read32,
    ReadBool,
    Write32,
    WriteBool,
    is_false,
    is_negated,
    is_predicate,
    is_zero,
    join,
    operands_of,
    read_integer,
    read_predicate,
    split,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported

CARRY = np.uint64(1 << 32)
TWO_CARRIES = np.uint64(1 << 33)
_ONE = np.uint64(1)


def split_operands(
    ins: Instruction, sources: int, carry_ins: int
) -> tuple[Operand, tuple[Operand, ...], tuple[Operand, ...], tuple[Operand, ...]]:
    """Destination, carry-out predicates, ``sources`` operands and up to ``carry_ins`` predicates after them.

    Raises:
        UnsupportedInstructionError: the operands have another shape.
    """
    destination, *rest = ins.operands
    outs = []
    while rest and is_predicate(rest[0]):
        outs.append(rest.pop(0))
    if not sources <= len(rest) <= sources + carry_ins or not all(is_predicate(p) for p in rest[sources:]):
        raise unsupported(ins, "operands of an unknown form")
    return destination, tuple(outs), tuple(rest[:sources]), tuple(rest[sources:])


def _wide_term(ins: Instruction, source: Operand, constants: Constants) -> Callable[[Lanes], U64]:
    """A source as uint64, so that a sum shows its carries: ``-x`` counts as ``~x + 1``, a carry for x = 0 included."""
    return _wide(read_integer(ins, source, constants, raw=True), is_negated(source))


def _wide(read: Read32, negate: bool) -> Callable[[Lanes], U64]:
    if negate:
        return lambda lanes: np.add(np.invert(read(lanes)), _ONE, dtype=np.uint64)
    return lambda lanes: read(lanes).astype(np.uint64)


def _write_carries(outs: list[WriteBool]) -> Callable[[Lanes, U64], None]:
    limits = (CARRY, TWO_CARRIES)

    def write(lanes: Lanes, total: U64) -> None:
        for out, limit in zip(outs, limits, strict=False):
            out(lanes, total >= limit)

    return write


@semantics("IADD3", "UIADD3")
def lower_iadd3(ins: Instruction, constants: Constants) -> Execute:
    """``d = a + b + c`` (+ carries in with .X); the carry-outs say that the sum reaches 2**32 and 2 * 2**32."""
    modifiers = Modifiers(ins)
    extended = modifiers.take("X")
    modifiers.end()
    destination, outs, sources, ins_ = split_operands(ins, 3, 2 if extended else 0)
    write = write_register(ins, destination)
    carries_in = [read_predicate(ins, operand) for operand in ins_ if not is_false(operand)]
    if extended and any(is_negated(s) for s in sources):
        raise unsupported(ins, "no semantics for a negated source with .X")
    if not outs:
        return _add_narrow([read_integer(ins, s, constants) for s in sources], carries_in, write)
    terms = [s for s in sources if not is_zero(s)]
    if len(terms) == 2 and len(outs) == 1 and not carries_in and not is_negated(terms[0]):
        a = read_integer(ins, terms[0], constants)
        b = read_integer(ins, terms[1], constants, raw=True)
        return _add_two(a, b, is_negated(terms[1]), write, write_predicate(ins, outs[0]))
    wide_terms = [_wide_term(ins, s, constants) for s in sources]
    write_carries = _write_carries([write_predicate(ins, out) for out in outs])

    def execute(lanes: Lanes) -> None:
        total = wide_terms[0](lanes)
        for term in wide_terms[1:]:
            total = total + term(lanes)
        for carry in carries_in:
            total = total + carry(lanes)
        write(lanes, total.astype(np.uint32))
        write_carries(lanes, total)

    return execute


def _add_two(a: Read32, b: Read32, negate: bool, write: Write32, write_carry: WriteBool) -> Execute:
    """``a + b`` or ``a - b`` with its carry, without wider integers."""

    def execute(lanes: Lanes) -> None:
        x, y = a(lanes), b(lanes)
        total = x - y if negate else x + y
        carry = x >= y if negate else total < x
        write(lanes, total)
        write_carry(lanes, carry)

    return execute


def _add_narrow(sources: list[Read32], carries_in: list[ReadBool], write: Callable[[Lanes, U32], None]) -> Execute:
    first, *others = sources

    def execute(lanes: Lanes) -> None:
        total = first(lanes)
        for read in others:
            total = total + read(lanes)
        for carry in carries_in:
            total = total + carry(lanes)
        write(lanes, total)

    return execute


@semantics("VIADD")
def lower_viadd(ins: Instruction, constants: Constants) -> Execute:
    """``d = a + b``, on the word or on its two halves."""
    modifiers = Modifiers(ins)
    halves = modifiers.take("16x2")
    modifiers.end()
    destination, *sources = operands_of(ins, 3)
    write = write_register(ins, destination)
    if not halves:
        a, b = (read_integer(ins, s, constants) for s in sources)
        return lambda lanes: write(lanes, a(lanes) + b(lanes))
    x, y = (_read_halves(ins, s, constants) for s in sources)
    return lambda lanes: write(lanes, join(x(lanes) + y(lanes)))


def _read_halves(ins: Instruction, source: Operand, constants: Constants) -> Callable[[Lanes], U16]:
    read = read_integer(ins, source, constants, raw=True)
    if is_negated(source):
        return lambda lanes: np.negative(split(read(lanes), np.uint16))
    return lambda lanes: split(read(lanes), np.uint16)


@semantics("IABS", "UIABS")
def lower_iabs(ins: Instruction, constants: Constants) -> Execute:
    """``d = |a|``; the most negative number stays."""
    Modifiers(ins).end()
    destination, source = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, source, constants)
    return lambda lanes: write(lanes, np.abs(read(lanes).view(np.int32)).view(np.uint32))


@semantics("VABSDIFF")
def lower_vabsdiff(ins: Instruction, constants: Constants) -> Execute:
    """``d = |a - b| + c``, signed or unsigned; the difference does not wrap."""
    modifiers = Modifiers(ins)
    dtype: type[np.signedinteger | np.unsignedinteger] = np.uint32 if modifiers.take("U32") else np.int32
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)

    def execute(lanes: Lanes) -> None:
        x, y = a(lanes).view(dtype), b(lanes).view(dtype)
        write(lanes, np.maximum(x, y).view(np.uint32) - np.minimum(x, y).view(np.uint32) + c(lanes))

    return execute


@semantics("VABSDIFF4")
def lower_vabsdiff4(ins: Instruction, constants: Constants) -> Execute:
    """Absolute differences of unsigned bytes: four bytes, or with .ACC their sum added to c."""
    modifiers = Modifiers(ins)
    modifiers.require({"U8": None})
    accumulate = modifiers.take("ACC")
    modifiers.end()
    destination, *sources = operands_of(ins, 4)
    write = write_register(ins, destination)
    a, b, c = (read_integer(ins, s, constants) for s in sources)

    def execute(lanes: Lanes) -> None:
        x, y = split(a(lanes), np.uint8), split(b(lanes), np.uint8)
        difference = np.maximum(x, y) - np.minimum(x, y)
        total = difference.sum(axis=-1, dtype=np.uint32) if accumulate else join(difference)
        write(lanes, total + c(lanes))

    return execute


@semantics("LEA", "ULEA")
def lower_lea(ins: Instruction, constants: Constants) -> Execute:
    """``d = (a << s) + b``; .HI takes the high word of ``(c:a) << s``, .SX32 sign-extends a; .X adds a carry."""
    modifiers = Modifiers(ins)
    high, extended, signed = modifiers.take("HI"), modifiers.take("X"), modifiers.take("SX32")
    modifiers.end()
    if signed and not high:
        raise unsupported(ins, "no semantics for modifier SX32 without HI")
    with_c = high and not signed
    destination, outs, sources, carry_in = split_operands(ins, 4 if with_c else 3, 1 if extended else 0)
    amount = sources[-1]
    if not isinstance(amount, Immediate) or not isinstance(amount.value, int) or len(outs) > 1:
        raise unsupported(ins, "operands of an unknown form")
    negated = is_negated(sources[0])
    if negated and high:
        raise unsupported(ins, "no semantics for a negated first source with HI")
    if extended and is_negated(sources[1]):
        raise unsupported(ins, "no semantics for a negated source with .X")
    write = write_register(ins, destination)
    a = read_integer(ins, sources[0], constants, raw=True)
    c = read_integer(ins, sources[2], constants) if with_c else None
    carries = [read_predicate(ins, operand) for operand in carry_in if not is_false(operand)]
    shifted = _shifted(a, c, amount.value & 31, high, signed)
    if not outs:
        low: Read32 = (lambda lanes: np.negative(shifted(lanes))) if negated else shifted
        return _add_narrow([low, read_integer(ins, sources[1], constants)], carries, write)
    out = write_predicate(ins, outs[0])
    if not carries and not negated:
        b_plain = read_integer(ins, sources[1], constants, raw=True)
        return _add_two(shifted, b_plain, is_negated(sources[1]), write, out)
    a_term, b = _wide(shifted, negated), _wide_term(ins, sources[1], constants)

    def execute(lanes: Lanes) -> None:
        total = a_term(lanes) + b(lanes)
        for carry in carries:
            total = total + carry(lanes)
        write(lanes, total.astype(np.uint32))
        out(lanes, total >= CARRY)

    return execute


def _shifted(a: Read32, c: Read32 | None, amount: int, high: bool, signed: bool) -> Read32:
    left, right = np.uint32(amount), np.uint32(32 - amount)
    if not high:
        return lambda lanes: a(lanes) << left
    if signed:
        # A shift by 32 of the sign-extended word leaves only its sign.
        right = np.uint32(min(32 - amount, 31))
        return lambda lanes: (a(lanes).view(np.int32) >> right.view(np.int32)).view(np.uint32)
    if c is None:
        return lambda lanes: a(lanes) >> right
    upper = c
    return lambda lanes: upper(lanes) << left | a(lanes) >> right
