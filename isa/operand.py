"""Operands of a SASS instruction, as nvdisasm spells them."""

from dataclasses import dataclass
from enum import Enum

RZ = 255
URZ = 63
PT = 7


class RegisterFile(Enum):
    """The register files a warp owns."""

    GENERAL = "R"
    UNIFORM = "UR"
    PREDICATE = "P"
    UNIFORM_PREDICATE = "UP"
    CONVERGENCE = "B"  # B0..B15, written by BSSY, read by BSYNC


@dataclass(frozen=True, slots=True)
class Register:
    """One register operand, e.g. ``-|R4|.H0_H0``, ``!P2``, ``UR6``, ``R8.64``, ``R3.reuse``, ``R2.X4``, ``R5.B1``.

    ``index`` is 255 for RZ, 63 for URZ, 7 for PT and UPT. ``selector`` is the operand's own suffix without its dot
    ("H0_H0", "H1", "B3", "64", "X8", "U32", "ROW", ...) or "" when there is none; ``.reuse`` is not a selector
    (the control code carries it).
    """

    file: RegisterFile
    index: int
    negate: bool = False
    absolute: bool = False
    invert: bool = False  # "!P0", "~R4"
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Immediate:
    """An integer immediate as printed, or a floating-point one with its value (sign, inf and nan included)."""

    value: int | float
    negate: bool = False  # only where the text has a sign apart from the number
    absolute: bool = False
    invert: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant-bank operand ``c[bank][offset]``, ``c[bank][Rx + offset]`` or ``cx[URx][offset]``."""

    bank: int | Register
    offset: int
    register: Register | None = None
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """A memory operand ``[R2.64 + UR4 + 0x10]``; every part may be missing. ``desc[UR][...]`` keeps the descriptor."""

    register: Register | None
    uniform: Register | None
    offset: int
    descriptor: Register | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A code address in bytes from the start of the kernel's code."""

    address: int


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """``SR_TID.X`` and its like, without the prefix: "TID.X", "CLOCKLO", "LANEID", ...; "Z" for SRZ."""

    name: str


Operand = Register | Immediate | Constant | Address | Label | SpecialRegister
