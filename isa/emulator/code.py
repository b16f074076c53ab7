"""Straight runs of a program, lowered to closures when they are first reached."""

from collections.abc import Container
from typing import NamedTuple

from isa.emulator.controls import Go, Guarded, guard_reader
from isa.emulator.group import pack
from isa.emulator.lanes import Lanes
from isa.emulator.loops import Loop, find_loop
from isa.errors import KernelError, UnsupportedInstructionError
from isa.instruction import Instruction
from isa.operand import Label, Register, RegisterFile
from isa.program import Program
from isa.semantics import registry
from isa.semantics.registry import Constants, Control, Execute


class StraightRun(NamedTuple):
    """``length`` instructions one after the other: those of ``body``, then ``control``, which says where to go on."""

    start: int
    length: int
    body: tuple[Execute, ...]
    control: Control


class Code:
    """A program as closures.

    A run ends at a control-flow instruction, or before an instruction that a branch can reach, so that warps which
    come from different places can go on together.
    """

    def __init__(self, program: Program, constants: Constants, needed: Container[int] | None = None) -> None:
        """Prepare ``program``; of instructions that are not ``needed`` only the guards execute."""
        registry.load()
        self._needed: Container[int] = range(len(program.instructions)) if needed is None else needed
        self._program = program
        self._constants = constants
        self._runs: dict[int, StraightRun] = {}
        self._loops: dict[tuple[int, int], Loop | None] = {}
        self._restored = {
            operand.index
            for instruction in program.instructions
            if instruction.opcode == "BMOV"
            for operand in instruction.operands[:1]
            if isinstance(operand, Register) and operand.file is RegisterFile.CONVERGENCE
        }
        self._targets = {
            operand.address // 16
            for instruction in program.instructions
            for operand in instruction.operands
            if isinstance(operand, Label)
        }

    @property
    def size(self) -> int:
        """Instructions of the program."""
        return len(self._program.instructions)

    def run_at(self, pc: int) -> StraightRun:
        """The straight run that starts at instruction ``pc``.

        Raises:
            UnsupportedInstructionError: it holds an instruction without semantics.
            KernelError: ``pc`` is outside the program.
        """
        run = self._runs.get(pc)
        if run is None:
            run = self._runs[pc] = self._lower(pc)
        return run

    def loop_at(self, first: int, last: int) -> Loop | None:
        """The loop that the branch at ``last`` closes, back to ``first``, if it has no accesses and no inner loops."""
        key = (first, last)
        if key not in self._loops:
            self._loops[key] = find_loop(self._program, self._constants, self._needed, first, last)
        return self._loops[key]

    def _lower(self, start: int) -> StraightRun:
        instructions = self._program.instructions
        if not 0 <= start < len(instructions):
            raise KernelError(
                f"{self._program.name}: execution left the kernel's code: jumped to {start * 16:#x}, "
                f"the code ends at {len(instructions) * 16:#x}"
            )
        body: list[Execute] = []
        length = 0
        try:
            for instruction in instructions[start:]:
                if registry.is_control(instruction):
                    control = self._as_restored(instruction, registry.lower_control(instruction, self._constants))
                    return StraightRun(start, length + 1, tuple(body), control)
                if length and instruction.index in self._targets:
                    break
                execute = self._as_anew(instruction, registry.lower(instruction, self._constants))
                length += 1
                if instruction.guard is not None:
                    inner = execute if instruction.index in self._needed else _nothing
                    body.append(Guarded(instruction.index, guard_reader(instruction.guard), inner))
                elif instruction.index in self._needed:
                    body.append(execute)
        except UnsupportedInstructionError as error:
            raise UnsupportedInstructionError(f"{self._program.name}: {error}") from None
        return StraightRun(start, length, tuple(body), Go(start + length))

    def _as_restored(self, instruction: Instruction, control: Control) -> Control:
        """A BSYNC on a barrier that BMOV restores: a closure that looks for that each time, and is not replayed."""
        if instruction.opcode != "BSYNC" or self._barrier(instruction) not in self._restored:
            return control
        return lambda lanes: control(lanes)  # noqa: PLW0108 - replay knows it by its class

    def _as_anew(self, instruction: Instruction, execute: Execute) -> Execute:
        """A BSSY on a barrier that BMOV restores: it is not a restored one any more."""
        if instruction.opcode != "BSSY" or self._barrier(instruction) not in self._restored:
            return execute
        register = self._barrier(instruction)

        def run(lanes: Lanes) -> None:
            lanes.batch.restored[register, lanes.first : lanes.last] &= ~pack(lanes.active())
            execute(lanes)

        return run

    def _barrier(self, instruction: Instruction) -> int:
        """The convergence barrier of a BSSY or BSYNC."""
        operand = instruction.operands[0]
        return operand.index if isinstance(operand, Register) else -1


def _nothing(lanes: Lanes) -> None:
    """What an instruction does whose result nobody needs."""
