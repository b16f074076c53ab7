"""The special functions, MUFU.

The hardware interpolates from tables; these are the correctly rounded values (computed in FP64), which lie within the
errors that the CUDA Programming Guide gives for the intrinsics. Denormal operands count as zeros and denormal FP32
results become zeros, as the compiler's scaling around MUFU shows that they do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import convert_ufuncs
from isa.semantics.convert import read_value
from isa.semantics.float32 import flush
from isa.semantics.operands import Modifiers, operands_of, read_float32, write_register
from isa.semantics.registry import Constants, Execute, semantics
from isa.semantics.rounding import NAN32, NEAREST

Doubles = NDArray[np.float64]
Function = Callable[[Doubles], Doubles]


def _sine(turns: Doubles) -> Doubles:
    return np.sin(2 * np.pi * (turns - np.rint(turns)))


def _cosine(turns: Doubles) -> Doubles:
    return np.cos(2 * np.pi * (turns - np.rint(turns)))


def _reciprocal(x: Doubles) -> Doubles:
    return 1.0 / x


def _reciprocal_root(x: Doubles) -> Doubles:
    return 1.0 / np.sqrt(x)


# SIN and COS take turns: the compiler multiplies by 1 / (2 pi) first.
_FUNCTIONS: dict[str, Function] = {
    "RCP": _reciprocal,
    "RSQ": _reciprocal_root,
    "SQRT": np.sqrt,
    "EX2": np.exp2,
    "LG2": np.log2,
    "SIN": _sine,
    "COS": _cosine,
    "TANH": np.tanh,
}
_HIGH_WORD: dict[str, Function] = {"RCP64H": _reciprocal, "RSQ64H": _reciprocal_root}


@semantics("MUFU")
def lower_mufu(ins: Instruction, constants: Constants) -> Execute:
    """A special function of an FP32, FP16 or BF16 number, or of the high word of an FP64 number."""
    modifiers = Modifiers(ins)
    high_word = modifiers.choose(_HIGH_WORD, None)
    function = None if high_word else modifiers.require(_FUNCTIONS)
    narrow = modifiers.choose({"F16": "F16", "BF16": "BF16"}, "")
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    write = write_register(ins, destination)
    if high_word is not None:
        return _lower_high_word(ins, operand, constants, high_word, write)
    if narrow and function is not None:
        half_function = function
        read_half = read_value(ins, operand, constants, narrow, False)
        convert = convert_ufuncs.round_float(narrow)
        return lambda lanes: write(lanes, convert(half_function(read_half(lanes).astype(np.float64)), NEAREST))
    read = read_value(ins, operand, constants, "F32", True)
    single_function = function if function is not None else np.positive

    def execute(lanes: Lanes) -> None:
        result = single_function(read(lanes).astype(np.float64)).astype(np.float32)
        write(lanes, np.where(np.isnan(result), np.uint32(NAN32), flush(result.view(np.uint32))))

    return execute


def _lower_high_word(
    ins: Instruction,
    operand: Operand,
    constants: Constants,
    function: Function,
    write: Callable[[Lanes, U32], Any],
) -> Execute:
    """RCP64H, RSQ64H: the high word of the result for the FP64 number with this high word and a low word of 0."""
    read = read_float32(ins, operand, constants)
    shift, half = np.uint64(32), np.uint64(1 << 31)
    exponent, sign = np.uint32(0x7FF00000), np.uint32(0x80000000)

    def flush_high(words: U32) -> U32:
        return np.where(words & exponent == 0, words & sign, words)

    def execute(lanes: Lanes) -> None:
        words = flush_high(read(lanes)).astype(np.uint64) << shift
        result = function(words.view(np.float64))
        rounded = (result.view(np.uint64) + half >> shift).astype(np.uint32)
        write(lanes, np.where(np.isnan(result), np.uint32(0xFFF80000), flush_high(rounded)))

    return execute
