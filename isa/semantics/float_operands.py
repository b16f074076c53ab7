"""Readers of floating-point operands: as ``isa.semantics.operands``, the values as bit patterns."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from isa.emulator.lanes import Lanes
from isa.instruction import Instruction
from isa.operand import Constant, Immediate, Operand, Register
from isa.semantics.float_ufuncs import change_sign64
from isa.semantics.operands import (
    U16,
    Read16,
    Read32,
    Read64,
    check_selector,
    encoded_immediate,
    fixed,
    is_zero,
    modified_reader,
    plain_reader,
    plain_reader64,
)
from isa.semantics.registry import Constants, unsupported

SIGN32 = np.uint32(0x80000000)
MAGNITUDE32 = np.uint32(0x7FFFFFFF)
SIGN64 = np.uint64(1 << 63)
MAGNITUDE64 = np.uint64((1 << 63) - 1)
SIGN16 = np.uint16(0x8000)
MAGNITUDE16 = np.uint16(0x7FFF)


def read_float32(
    ins: Instruction, operand: Operand, constants: Constants, *, selectors: tuple[str, ...] = ()
) -> Read32:
    """The bits of an FP32 operand as uint32, absolute value and sign applied (both change only the sign bit)."""
    if isinstance(operand, Immediate):
        bits = encoded_immediate(ins)
        if operand.absolute:
            bits &= int(MAGNITUDE32)
        return fixed(bits ^ (int(SIGN32) if operand.negate else 0), np.uint32)
    if not isinstance(operand, Register | Constant) or operand.invert:
        raise unsupported(ins, f"operand {operand} where FP32 is known")
    check_selector(ins, operand, ())
    plain = plain_reader(ins, operand, constants)
    change = _sign_change(operand.absolute, operand.negate, MAGNITUDE32, SIGN32)
    if callable(plain) and change is None:
        return plain
    return modified_reader(plain, change or (lambda values: values))


def without_bars(operand: Operand) -> Operand:
    """The operand without its absolute value."""
    return replace(operand, absolute=False) if isinstance(operand, Register | Constant) else operand


def without_sign(operand: Operand) -> tuple[Operand, bool, bool]:
    """The operand without absolute value and negation, and whether it had them."""
    if not isinstance(operand, Register | Constant):
        return operand, False, False
    return replace(operand, absolute=False, negate=False), operand.absolute, operand.negate


def read_float64(ins: Instruction, operand: Operand, constants: Constants) -> Read64:
    """The bits of an FP64 operand as uint64, absolute value and sign applied; an immediate is the high word.

    The hardware passes NaNs through FP64 operations with the sign that they have in the register.
    """
    if isinstance(operand, Immediate):
        bits = encoded_immediate(ins) << 32
        if operand.absolute:
            bits &= int(MAGNITUDE64)
        return fixed(bits ^ (int(SIGN64) if operand.negate else 0), np.uint64)
    if not isinstance(operand, Register | Constant) or operand.invert:
        raise unsupported(ins, f"operand {operand} where FP64 is known")
    check_selector(ins, operand, ("64",))
    plain = plain_reader64(ins, operand, constants)
    if not (operand.absolute or operand.negate):
        return plain
    change, absolute, negate = change_sign64(), operand.absolute, operand.negate
    return lambda lanes: change(plain(lanes), absolute, negate)


def _sign_change(absolute: bool, negate: bool, magnitude: Any, sign: Any) -> Callable[[Any], Any] | None:
    if absolute and negate:
        return lambda values: values | sign
    if absolute:
        return lambda values: values & magnitude
    if negate:
        return lambda values: values ^ sign
    return None


def read_half2(ins: Instruction, operand: Operand, constants: Constants) -> Read16:
    """The two 16-bit floats of an operand as uint16 (n, 32, 2), (n, 32, 1) when a selector takes one half for both."""
    change = None
    if isinstance(operand, Immediate):
        # Both halves are printed, but they are one 32-bit field, signs included.
        bits = np.full((1, 1), encoded_immediate(ins), np.uint32).view(np.uint16).reshape(1, 1, 2)
        return lambda lanes: bits
    if not isinstance(operand, Register | Constant) or operand.invert:
        raise unsupported(ins, f"operand {operand} where two 16-bit floats are known")
    selector = check_selector(ins, operand, ("H0_H0", "H1_H1", "H1_H0", "H0_NH1"))
    # A product with RZ is how the compiler moves a constant: what is fixed is computed once for all lanes.
    plain = np.uint32(0) if is_zero(operand) else plain_reader(ins, operand, constants)
    halves = {"H0_H0": slice(0, 1), "H1_H1": slice(1, 2)}.get(selector, slice(0, 2))
    change = _sign_change(operand.absolute, operand.negate, MAGNITUDE16, SIGN16)
    if selector == "H0_NH1":
        if operand.absolute:
            raise unsupported(ins, "no semantics for bars with operand selector H0_NH1")
        change = _swap_negate_high if operand.negate else _swap_negate
    if not callable(plain):
        word = np.full((1, 1), plain, np.uint32)
        plain = lambda lanes: word  # noqa: E731
    read = plain

    def read_halves(lanes: Lanes) -> U16:
        words = read(lanes)
        values = words.view(np.uint16).reshape(*words.shape, 2)[..., halves]
        return values if change is None else change(values)

    return read_halves


def _swap_negate(halves: U16) -> U16:
    """H0_NH1, high half first: the halves change places, and what becomes the low one is negated."""
    return halves[..., ::-1] ^ np.array([SIGN16, 0], np.uint16)


def _swap_negate_high(halves: U16) -> U16:
    """-H0_NH1: the same with both signs changed, so that what becomes the high half is negated."""
    return halves[..., ::-1] ^ np.array([0, SIGN16], np.uint16)
