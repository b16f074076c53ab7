"""Programs and launches as plain lists, numbers and strings, and back: what a trace file can hold."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from isa.control import ControlCode
from isa.instruction import Instruction, SourceLine
from isa.launch import LaunchShape
from isa.operand import Address, Constant, Immediate, Label, Register, RegisterFile, SpecialRegister
from isa.program import Parameter, Program, Relocation, Symbol

_DATACLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(Program, Instruction, ControlCode, SourceLine, Parameter, Symbol, Relocation, LaunchShape),
        *(Register, Immediate, Constant, Address, Label, SpecialRegister),
    )
}
_ENUMS: dict[str, type[Enum]] = {RegisterFile.__name__: RegisterFile}
_COLLECTIONS: dict[str, Any] = {"tuple": tuple, "frozenset": frozenset}
_PLAIN = (bool, float, str, bytes, type(None))
_LIMIT = 1 << 63


def to_plain(value: Any) -> Any:
    """A value as what MessagePack holds: everything else becomes a list that starts with its type's name.

    Raises:
        TypeError: a type that a program does not contain.
    """
    if isinstance(value, Enum):
        return [type(value).__name__, value.value]
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, int):
        return value if -_LIMIT <= value < _LIMIT else ["int", hex(value)]
    if is_dataclass(value) and type(value).__name__ in _DATACLASSES:
        return [type(value).__name__, *(to_plain(getattr(value, field.name)) for field in fields(value))]
    if isinstance(value, tuple):
        return ["tuple", *map(to_plain, value)]
    if isinstance(value, frozenset):
        return ["frozenset", *sorted(map(to_plain, value), key=repr)]
    if isinstance(value, dict):
        return ["dict", *([to_plain(key), to_plain(item)] for key, item in value.items())]
    raise TypeError(f"a trace file cannot hold a {type(value).__name__}")


def from_plain(value: Any) -> Any:
    """The opposite of ``to_plain``.

    Raises:
        KeyError, TypeError, ValueError: the value does not come from ``to_plain`` of this version.
    """
    if not isinstance(value, list):
        return value
    name, *parts = value
    if name == "int":
        return int(parts[0], 16)
    if name == "dict":
        return {from_plain(key): from_plain(item) for key, item in parts}
    if name in _ENUMS:
        return _ENUMS[name](parts[0])
    if name in _COLLECTIONS:
        return _COLLECTIONS[name](map(from_plain, parts))
    return _DATACLASSES[name](*map(from_plain, parts))
