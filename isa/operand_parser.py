"""Operands from nvdisasm's text: ``-|R4|.H0_H0``, ``c[0x3][R2+0x10]``, ``desc[UR4][R2.64+-0x8]``, ``+INF``, ..."""

import re
from collections.abc import Mapping

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

_ZERO_REGISTERS = {
    "RZ": (RegisterFile.GENERAL, RZ),
    "URZ": (RegisterFile.UNIFORM, URZ),
    "PT": (RegisterFile.PREDICATE, PT),
    "UPT": (RegisterFile.UNIFORM_PREDICATE, PT),
}
_FILES = {file.value: file for file in RegisterFile}

# Sign, bars and core of an operand, with the suffixes of the register after it.
_MODIFIED = re.compile(r"(?P<sign>[-!~]?)(?P<bar>\|?)(?P<core>.*?)(?P=bar)(?P<suffixes>(?:\.[A-Z0-9_]+|\.reuse)*)")
_REGISTER = re.compile(r"(UR|UP|R|P|B)(\d+)|U?RZ|U?PT")
_CONSTANT = re.compile(r"cx?\[(?P<bank>[^\]]+)\]\[(?P<address>[^\]]+)\]")
_ADDRESS = re.compile(r"(?:desc\[(?P<descriptor>UR\d+)\])?\[(?P<address>[^\]]*)\]")
_INTEGER = re.compile(r"-?0x[0-9a-f]+")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|INF|QNAN|SNAN)")
_SPECIAL = re.compile(
    r"SR_(?P<name>\w+(?:\.\w+)?)|SR(?P<zero>Z)|(?P<bare>U?PR|SB\d|MACTIVE|ATEXIT_PC|THREAD_STATE_ENUM\.\d)"
)
_SYMBOL = re.compile(r"[A-Za-z_$][\w$.]*")


def parse_operands(text: str, symbols: Mapping[str, int]) -> tuple[Operand, ...]:
    """Parse the operands of one instruction.

    Args:
        text: nvdisasm's operand list, separated by commas.
        symbols: the function names that a branch target may be, with their address in the kernel's code.

    Raises:
        ValueError: an operand has a form that sm_90 is not known to print; the message quotes it.
    """
    return tuple(parse_operand(part.strip(), symbols) for part in text.split(",")) if text else ()


def parse_operand(text: str, symbols: Mapping[str, int]) -> Operand:
    """Parse one operand. Arguments and errors as ``parse_operands``."""
    if text in symbols:
        return Label(symbols[text])
    if _INTEGER.fullmatch(text):
        return Immediate(int(text, 16))
    if _FLOAT.fullmatch(text):
        return Immediate(_float(text))
    if match := _SPECIAL.fullmatch(text):
        return SpecialRegister(match["name"] or match["zero"] or match["bare"])
    if match := _ADDRESS.fullmatch(text):
        return _address(match["address"], match["descriptor"], text)
    match = _MODIFIED.fullmatch(text)
    if match is not None:
        sign, core = match["sign"], match["core"]
        selector = ".".join(suffix for suffix in match["suffixes"].split(".")[1:] if suffix != "reuse")
        negate, invert, absolute = sign == "-", sign in ("!", "~"), match["bar"] != ""
        if register := _register(core):
            return Register(*register, negate=negate, absolute=absolute, invert=invert, selector=selector)
        if constant := _CONSTANT.fullmatch(core):
            bank, offset, index = _constant_parts(constant["bank"], constant["address"], text)
            return Constant(bank, offset, index, negate, absolute, invert, selector)
        if absolute and (_FLOAT.fullmatch(core) or _INTEGER.fullmatch(core)):
            value = int(core, 16) if _INTEGER.fullmatch(core) else _float(core)
            return Immediate(value, negate=negate, absolute=True)
    raise ValueError(f"operand {text!r} has an unknown form")


def _register(text: str) -> tuple[RegisterFile, int] | None:
    if text in _ZERO_REGISTERS:
        return _ZERO_REGISTERS[text]
    match = _REGISTER.fullmatch(text)
    return (_FILES[match[1]], int(match[2])) if match else None


def _float(text: str) -> float:
    return float(text.replace("QNAN", "nan").replace("SNAN", "nan"))


def _terms(text: str, whole: str) -> tuple[list[Register], int]:
    """The registers and the offset in ``R2.64+UR4+-0x10``."""
    registers: list[Register] = []
    offset = 0
    for term in text.split("+") if text else ():
        name, _, selector = term.partition(".")
        if register := _register(name):
            registers.append(Register(*register, selector=selector))
        elif _INTEGER.fullmatch(term):
            offset += int(term, 16)
        else:
            raise ValueError(f"operand {whole!r} has an unknown part {term!r}")
    return registers, offset


def _address(text: str, descriptor: str | None, whole: str) -> Address:
    registers, offset = _terms(text, whole)
    general = [register for register in registers if register.file is RegisterFile.GENERAL]
    uniform = [register for register in registers if register.file is RegisterFile.UNIFORM]
    if len(general) > 1 or len(uniform) > 1 or len(general) + len(uniform) != len(registers):
        raise ValueError(f"operand {whole!r} has an unknown form")
    described = _register(descriptor) if descriptor else None
    return Address(
        register=general[0] if general else None,
        uniform=uniform[0] if uniform else None,
        offset=offset,
        descriptor=Register(*described) if described else None,
    )


def _constant_parts(bank: str, address: str, whole: str) -> tuple[int | Register, int, Register | None]:
    registers, offset = _terms(address, whole)
    if len(registers) > 1:
        raise ValueError(f"operand {whole!r} has an unknown form")
    index = registers[0] if registers else None
    bank_register = _register(bank)
    if bank_register:
        return Register(*bank_register), offset, index
    if not _INTEGER.fullmatch(bank):
        raise ValueError(f"operand {whole!r} has an unknown bank")
    return int(bank, 16), offset, index
