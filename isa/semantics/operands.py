"""Readers and writers of operands, and the accounting of modifiers, for the lowering functions.

A reader is a closure over one operand that gives its value for a group of warps as an array (n, 32), (n, 1) for uniform
registers or (1, 1) for immediates and constants, with sign, absolute value and inversion applied. Each reader function
names the selectors that it knows; any other raises UnsupportedInstructionError, and so does every modifier that the
lowering function has not taken.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, U64, Bools, Lanes
from isa.instruction import Instruction
from isa.operand import RZ, URZ, Constant, Immediate, Operand, Register, RegisterFile
from isa.semantics.registry import Constants, unsupported

U16 = NDArray[np.uint16]

Read32 = Callable[[Lanes], U32]
Read64 = Callable[[Lanes], U64]
Read16 = Callable[[Lanes], U16]
ReadBool = Callable[[Lanes], Bools]
Write32: TypeAlias = Callable[[Lanes, U32], None]
Write64: TypeAlias = Callable[[Lanes, U64], None]
WriteBool: TypeAlias = Callable[[Lanes, Bools], None]

_T = TypeVar("_T")
_D = TypeVar("_D")

_WORD = 0xFFFFFFFF


class Modifiers:
    """The modifiers of an instruction; each is taken once, and ``end`` refuses those that nobody took."""

    def __init__(self, instruction: Instruction) -> None:
        self._instruction = instruction
        self._left = list(instruction.modifiers)

    def take(self, name: str) -> bool:
        """Whether ``name`` is there; it counts as taken."""
        if name in self._left:
            self._left.remove(name)
            return True
        return False

    def choose(self, choices: Mapping[str, _T], default: _D) -> _T | _D:
        """The value of the first modifier that is a key of ``choices``, taken; ``default`` when none is."""
        for name in self._left:
            if name in choices:
                self._left.remove(name)
                return choices[name]
        return default

    def require(self, choices: Mapping[str, _T]) -> _T:
        """As ``choose``, for a modifier that must be there.

        Raises:
            UnsupportedInstructionError: none of ``choices`` is there.
        """
        for name in self._left:
            if name in choices:
                self._left.remove(name)
                return choices[name]
        raise unsupported(self._instruction, f"none of the modifiers {', '.join(choices)}")

    def end(self) -> None:
        """Refuse what is left.

        Raises:
            UnsupportedInstructionError: a modifier that nobody took.
        """
        if self._left:
            raise unsupported(self._instruction, f"no semantics for modifier {self._left[0]}")


def operands_of(ins: Instruction, *counts: int) -> tuple[Operand, ...]:
    """The operands, when there are as many as one of ``counts``.

    Raises:
        UnsupportedInstructionError: another number of operands.
    """
    if len(ins.operands) not in counts:
        raise unsupported(ins, f"{len(ins.operands)} operands where {' or '.join(map(str, counts))} are known")
    return ins.operands


def check_selector(ins: Instruction, operand: Register | Constant, known: tuple[str, ...]) -> str:
    """The operand's selector.

    Raises:
        UnsupportedInstructionError: it is not one of ``known``.
    """
    if operand.selector and operand.selector not in known:
        raise unsupported(ins, f"no semantics for operand selector {operand.selector}")
    return operand.selector


def fixed(value: Any, dtype: type[np.generic]) -> Callable[[Lanes], NDArray[Any]]:
    """A reader that always gives ``value``, as an array (1, 1)."""
    array = np.full((1, 1), value, dtype)
    array.setflags(write=False)
    return lambda lanes: array


def encoded_immediate(ins: Instruction) -> int:
    """The 32 bits of the immediate field (bits 32 to 63); text rounds floating-point values and drops NaN payloads."""
    return ins.encoding >> 32 & _WORD


def plain_reader(ins: Instruction, operand: Register | Constant, constants: Constants) -> Read32 | np.uint32:
    """The operand's 32 bits without sign, absolute value or inversion: a reader, or the word itself."""
    if isinstance(operand, Constant):
        if operand.register is not None or isinstance(operand.bank, Register):
            raise unsupported(ins, "no semantics for an indexed constant operand here")
        return constants.word(operand.bank, operand.offset)
    index = operand.index
    if operand.file is RegisterFile.GENERAL:
        return lambda lanes: lanes.register(index)
    if operand.file is RegisterFile.UNIFORM:
        return lambda lanes: lanes.uniform(index)
    raise unsupported(ins, f"operand of register file {operand.file.value} where a general register is known")


def modified_reader(plain: Read32 | np.uint32, change: Callable[[U32], U32]) -> Read32:
    """What ``plain_reader`` gave, with ``change`` applied: once where the value is fixed."""
    if not callable(plain):
        return fixed(change(np.full((1, 1), plain, np.uint32)), np.uint32)
    read = plain
    return lambda lanes: change(read(lanes))


def read_integer(
    ins: Instruction, operand: Operand, constants: Constants, *, selectors: tuple[str, ...] = (), raw: bool = False
) -> Read32:
    """A 32-bit integer operand as uint32: ``-`` is two's complement, ``~`` one's complement.

    ``selectors`` are accepted and left to the caller. With ``raw``, ``-`` is left to the caller as well.

    Raises:
        UnsupportedInstructionError: a kind of operand or a selector that is not known here.
    """
    if isinstance(operand, Immediate):
        if isinstance(operand.value, float) or operand.absolute or operand.invert or operand.negate:
            return fixed(encoded_immediate(ins), np.uint32)
        return fixed(operand.value & _WORD, np.uint32)
    if not isinstance(operand, Register | Constant):
        raise unsupported(ins, f"operand {operand} where an integer is known")
    check_selector(ins, operand, selectors)
    plain = plain_reader(ins, operand, constants)
    if operand.absolute:
        raise unsupported(ins, "no semantics for the absolute value of an integer operand")
    if operand.invert:
        return modified_reader(plain, np.invert)
    if operand.negate and not raw:
        return modified_reader(plain, np.negative)
    return modified_reader(plain, lambda values: values) if not callable(plain) else plain


def read_integer64(ins: Instruction, operand: Operand, constants: Constants) -> Read64:
    """A 64-bit integer operand as uint64, from a register pair, two constant words or a sign-extended immediate."""
    if isinstance(operand, Immediate) and isinstance(operand.value, int):
        return fixed(operand.value & (1 << 64) - 1, np.uint64)
    if not isinstance(operand, Register | Constant):
        raise unsupported(ins, f"operand {operand} where a 64-bit integer is known")
    check_selector(ins, operand, ("64",))
    if operand.absolute:
        raise unsupported(ins, "no semantics for the absolute value of an integer operand")
    plain = plain_reader64(ins, operand, constants)
    if operand.invert:
        return lambda lanes: np.invert(plain(lanes))
    if operand.negate:
        return lambda lanes: np.negative(plain(lanes))
    return plain


def read_parts(ins: Instruction, operand: Operand, constants: Constants) -> tuple[Read32, Read32] | None:
    """The low and the high word of a 64-bit integer operand; ``None`` when it is negated or inverted."""
    if is_zero(operand):
        return fixed(0, np.uint32), fixed(0, np.uint32)
    if isinstance(operand, Immediate) and isinstance(operand.value, int):
        return fixed(operand.value & _WORD, np.uint32), fixed(operand.value >> 32 & _WORD, np.uint32)
    if not isinstance(operand, Register | Constant) or operand.negate or operand.invert or operand.absolute:
        return None
    if isinstance(operand, Constant):
        upper: Operand = replace(operand, offset=operand.offset + 4)
    else:
        upper = replace(operand, index=operand.index + 1)
    return read_integer(ins, operand, constants), read_integer(ins, upper, constants)


def plain_reader64(ins: Instruction, operand: Register | Constant, constants: Constants) -> Read64:
    """The operand's 64 bits without sign, absolute value or inversion."""
    if isinstance(operand, Constant):
        if operand.register is not None or isinstance(operand.bank, Register):
            raise unsupported(ins, "no semantics for an indexed constant operand here")
        low = int(constants.word(operand.bank, operand.offset))
        high = int(constants.word(operand.bank, operand.offset + 4))
        return fixed(high << 32 | low, np.uint64)
    index = operand.index
    if operand.file is RegisterFile.GENERAL:
        if index == RZ:
            return fixed(0, np.uint64)
        return lambda lanes: lanes.register64(index)
    if operand.file is RegisterFile.UNIFORM:
        if index == URZ:
            return fixed(0, np.uint64)
        return lambda lanes: lanes.uniform64(index)
    raise unsupported(ins, f"operand of register file {operand.file.value} where a register pair is known")


def read_predicate(ins: Instruction, operand: Operand) -> ReadBool:
    """A predicate or uniform predicate, negation applied."""
    if not isinstance(operand, Register) or operand.selector:
        raise unsupported(ins, f"operand {operand} where a predicate is known")
    index, invert = operand.index, operand.invert
    if operand.file is RegisterFile.PREDICATE:
        return (lambda lanes: ~lanes.predicate(index)) if invert else (lambda lanes: lanes.predicate(index))
    if operand.file is RegisterFile.UNIFORM_PREDICATE:
        if invert:
            return lambda lanes: ~lanes.uniform_predicate(index)
        return lambda lanes: lanes.uniform_predicate(index)
    raise unsupported(ins, f"operand of register file {operand.file.value} where a predicate is known")


def split(words: U32, dtype: type[Any]) -> NDArray[Any]:
    """Words as parts of an integer type, low part first: (n, 32, parts per word)."""
    parts: NDArray[Any] = words.view(dtype).reshape(*words.shape, -1)
    return parts


def join(parts: NDArray[Any]) -> U32:
    """The words of ``split``."""
    words: U32 = parts.copy().view(np.uint32)[..., 0]
    return words


def is_predicate(operand: Operand) -> bool:
    """Whether the operand is a predicate or a uniform predicate."""
    files = (RegisterFile.PREDICATE, RegisterFile.UNIFORM_PREDICATE)
    return isinstance(operand, Register) and operand.file in files


def is_zero(operand: Operand) -> bool:
    """Whether the operand is RZ or URZ."""
    zeros = ((RegisterFile.GENERAL, RZ), (RegisterFile.UNIFORM, URZ))
    return isinstance(operand, Register) and (operand.file, operand.index) in zeros


def is_negated(operand: Operand) -> bool:
    """Whether a negation is encoded; "-0x5" is the immediate 0xfffffffb and encodes none."""
    return isinstance(operand, Register | Constant) and operand.negate


def is_true(operand: Operand) -> bool:
    """Whether the operand is PT or UPT without negation."""
    return isinstance(operand, Register) and is_predicate(operand) and operand.index == 7 and not operand.invert


def is_false(operand: Operand) -> bool:
    """Whether the operand is !PT or !UPT."""
    return isinstance(operand, Register) and is_predicate(operand) and operand.index == 7 and operand.invert


def _destination(ins: Instruction, operand: Operand, files: tuple[RegisterFile, RegisterFile]) -> tuple[int, bool]:
    """Index of a destination and whether it is uniform."""
    if not isinstance(operand, Register) or operand.file not in files:
        raise unsupported(ins, f"destination {operand} is not of register file {files[0].value} or {files[1].value}")
    if operand.selector or operand.negate or operand.invert or operand.absolute:
        raise unsupported(ins, f"no semantics for destination {operand}")
    return operand.index, operand.file is files[1]


def write_register(ins: Instruction, operand: Operand) -> Write32:
    """A writer of a general or uniform register."""
    index, uniform = _destination(ins, operand, (RegisterFile.GENERAL, RegisterFile.UNIFORM))
    if uniform:
        return lambda lanes, values: lanes.set_uniform(index, values)
    return lambda lanes, values: lanes.set_register(index, values)


def write_register64(ins: Instruction, operand: Operand) -> Write64:
    """A writer of a general or uniform register pair."""
    index, uniform = _destination(ins, operand, (RegisterFile.GENERAL, RegisterFile.UNIFORM))
    if uniform:
        return lambda lanes, values: lanes.set_uniform64(index, values)
    return lambda lanes, values: lanes.set_register64(index, values)


def write_predicate(ins: Instruction, operand: Operand) -> WriteBool:
    """A writer of a predicate or uniform predicate."""
    index, uniform = _destination(ins, operand, (RegisterFile.PREDICATE, RegisterFile.UNIFORM_PREDICATE))
    if uniform:
        return lambda lanes, values: lanes.set_uniform_predicate(index, values)
    return lambda lanes, values: lanes.set_predicate(index, values)


def write_register_pair(ins: Instruction, operand: Operand) -> tuple[Write32, Write32]:
    """Writers of the low and the high word of a general or uniform register pair; RZ takes both."""
    low = write_register(ins, operand)
    if not isinstance(operand, Register) or is_zero(operand):
        return low, low
    return low, write_register(ins, replace(operand, index=operand.index + 1))
