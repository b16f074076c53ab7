"""What each opcode does: one lowering function per opcode, found by name.

A lowering function is called once per instruction and launch. It resolves operands and modifiers into a closure, so
that nothing is looked up again while the instruction runs, and refuses what it does not implement.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from isa.errors import UnsupportedInstructionError
from isa.instruction import Instruction

if TYPE_CHECKING:
    from isa.emulator.lanes import Lanes


class Constants(Protocol):
    """The constant banks of one launch; their contents do not change while it runs."""

    def word(self, bank: int, offset: int) -> np.uint32:
        """The 32-bit word at byte ``offset`` of ``bank``; bytes past the bank's end read as zero."""

    def bank(self, bank: int) -> NDArray[np.uint8]:
        """A bank's bytes, shape (bytes,); empty when the launch has no such bank."""


Execute = Callable[["Lanes"], None]
Control = Callable[["Lanes"], int | None]
Lower = Callable[[Instruction, Constants], Execute]
LowerControl = Callable[[Instruction, Constants], Control]

_Lower = TypeVar("_Lower", Lower, LowerControl)

_semantics: dict[str, Lower] = {}
_controls: dict[str, LowerControl] = {}
_loaded = False


def semantics(*opcodes: str) -> Callable[[Lower], Lower]:
    """Register the function that lowers ``opcodes``; the emulator applies the guard before the closure runs."""

    def register(lower: Lower) -> Lower:
        for opcode in opcodes:
            _add(_semantics, opcode, lower)
        return lower

    return register


def control(*opcodes: str) -> Callable[[LowerControl], LowerControl]:
    """Register the function that lowers control-flow ``opcodes``, which end a straight run of instructions.

    The closure applies the guard itself. It returns the instruction index at which the whole group goes on, or ``None``
    when it has handed the group's warps back to the scheduler.
    """

    def register(lower: LowerControl) -> LowerControl:
        for opcode in opcodes:
            _add(_controls, opcode, lower)
        return lower

    return register


def _add(table: dict[str, _Lower], opcode: str, lower: _Lower) -> None:
    if opcode in _semantics or opcode in _controls:
        raise ValueError(f"{opcode} already has semantics")
    table[opcode] = lower


def unsupported(instruction: Instruction, why: str) -> UnsupportedInstructionError:
    """The error for an instruction that cannot be executed; ``why`` names the opcode, modifier or operand."""
    line = f" ({instruction.source.file}:{instruction.source.line})" if instruction.source else ""
    return UnsupportedInstructionError(
        f"at {instruction.address:#06x}{line}: {instruction.text}: {why}; the emulator cannot run this instruction"
    )


def load() -> None:
    """Import every module of ``isa.semantics``, so that all opcodes are registered."""
    global _loaded  # noqa: PLW0603 - the registry is filled once per process
    if _loaded:
        return
    package = importlib.import_module("isa.semantics")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"isa.semantics.{module.name}")
    _loaded = True


def is_control(instruction: Instruction) -> bool:
    """Whether the instruction ends a straight run."""
    return instruction.opcode in _controls


def lower(instruction: Instruction, constants: Constants) -> Execute:
    """The closure that executes a straight-line instruction.

    Raises:
        UnsupportedInstructionError: unknown opcode, or a modifier or operand without semantics.
    """
    function = _semantics.get(instruction.opcode)
    if function is None:
        raise unsupported(instruction, f"no semantics for opcode {instruction.opcode}")
    return function(instruction, constants)


def lower_control(instruction: Instruction, constants: Constants) -> Control:
    """The closure that executes a control-flow instruction.

    Raises:
        UnsupportedInstructionError: a modifier or operand without semantics.
    """
    return _controls[instruction.opcode](instruction, constants)


def opcodes() -> frozenset[str]:
    """Every opcode that can be executed."""
    load()
    return frozenset(_semantics) | frozenset(_controls)
