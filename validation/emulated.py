"""What the emulator leaves in the arrays of a launch, for the GPU's outputs to be compared with."""

from collections.abc import Sequence

import numpy as np

from isa.errors import KernelError, TraceError, UnsupportedInstructionError
from isa.instruction import Instruction
from isa.launch import LaunchShape
from isa.operand import RegisterFile, SpecialRegister
from isa.program import Program
from kernels import Expected
from smsim.module import Function
from validation.measure_on_gpu.job import Argument

# Values that no two launches need share: the time, and the SM that a block came to.
CHANCE = frozenset(
    ("CLOCK", "CLOCKLO", "CLOCKHI", "GLOBALTIMER", "GLOBALTIMERLO", "GLOBALTIMERHI", "SMID", "VIRTUALSMID", "VIRTID")
)
ATOMICS = frozenset(("ATOM", "ATOMG", "ATOMS", "RED", "REDG"))
ROUNDED = frozenset(("F32", "F64", "F32x2", "F32x4", "F16x2", "BF16x2", "BF16_V2"))  # what these may add
# Of each number, and of the array's largest one: last bits may have gone through much, a wrong result is further off.
RELATIVE, ABSOLUTE = 2.0**-10, 2.0**-16


class NotEmulatedError(Exception):
    """The emulator cannot say what the outputs are; the message says why."""


def emulated(program: Program, shape: LaunchShape, arguments: Sequence[Argument]) -> dict[int, Expected]:
    """The array arguments after the whole grid ran, by index; the arguments stay as they are.

    Floating-point numbers have a tolerance where the kernel has special functions, which the emulator rounds correctly,
    or adds them in whatever order threads come.

    Raises:
        NotEmulatedError: what they hold hangs on chance, or the emulator cannot run the launch.
        LaunchError: the launch or its arguments are not possible.
    """
    for instruction in program.instructions:
        if _hangs_on_chance(instruction):
            where = f"{instruction.text} at 0x{instruction.address:04x}"
            raise NotEmulatedError(f"what {where} gives differs from run to run")
    copies = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    function = Function(program)
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, shape.dynamic_shared_bytes)
    try:
        function.trace(shape.grid, shape.block, copies, shared_mem=shape.dynamic_shared_bytes, emulate="all")
    except (KernelError, TraceError, UnsupportedInstructionError) as error:
        raise NotEmulatedError(str(error)) from None
    approximate = any(map(_is_rounded, program.instructions))
    arrays = {index: value for index, value in enumerate(copies) if isinstance(value, np.ndarray)}
    return {index: _near(value) if approximate else Expected(value) for index, value in arrays.items()}


def _near(values: np.ndarray) -> Expected:
    """What an array holds but for the last bits, and what differences make of these."""
    if not np.issubdtype(values.dtype, np.floating):
        return Expected(values)
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0))
    return Expected(values, RELATIVE, ABSOLUTE * largest, reason="special functions and sums differ in the last bits")


def _hangs_on_chance(instruction: Instruction) -> bool:
    """Whether it reads a clock or the like, or is an atomic whose result says which thread came first."""
    if any(isinstance(operand, SpecialRegister) and operand.name in CHANCE for operand in instruction.operands):
        return True
    is_answered = any(register.file is RegisterFile.GENERAL for register in instruction.writes)
    return instruction.opcode in ATOMICS and is_answered


def _is_rounded(instruction: Instruction) -> bool:
    """Whether its result is not the same to the last bit: a special function, or a sum in any order."""
    adds = instruction.opcode in ATOMICS and not ROUNDED.isdisjoint(instruction.modifiers)
    return adds or instruction.opcode == "MUFU"
