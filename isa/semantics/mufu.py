"""The special functions, MUFU.

The hardware interpolates from tables; these are the correctly rounded values (computed in FP64), which lie within the
errors that the CUDA Programming Guide gives for the intrinsics. Denormal operands count as zeros and denormal FP32
results become zeros, except for TANH.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.emulator.lanes import U32, Lanes
from isa.instruction import Instruction
from isa.operand import Operand
from isa.semantics import convert_ufuncs
from isa.semantics.convert import read_value
from isa.semantics.float_operands import read_float32
from isa.semantics.mufu_ufuncs import FUNCTIONS, special32, special64
from isa.semantics.operands import Modifiers, operands_of, write_register
from isa.semantics.registry import Constants, Execute, semantics
from isa.semantics.rounding import NEAREST

_HIGH_WORD = {"RCP64H": "RCP", "RSQ64H": "RSQ"}


@semantics("MUFU")
def lower_mufu(ins: Instruction, constants: Constants) -> Execute:
    """A special function of an FP32, FP16 or BF16 number, or of the high word of an FP64 number."""
    modifiers = Modifiers(ins)
    high_word = modifiers.choose(_HIGH_WORD, "")
    name = high_word or modifiers.require({name: name for name in FUNCTIONS})
    narrow = modifiers.choose({"F16": "F16", "BF16": "BF16"}, "")
    modifiers.end()
    destination, operand = operands_of(ins, 2)
    write = write_register(ins, destination)
    if high_word:
        return _lower_high_word(ins, operand, constants, high_word, write)
    if narrow:
        read_half, function = read_value(ins, operand, constants, narrow, False), special64(name)
        convert = convert_ufuncs.round_float(narrow)
        return lambda lanes: write(lanes, convert(function(read_half(lanes)), NEAREST))
    read, special = read_float32(ins, operand, constants), special32(name)
    return lambda lanes: write(lanes, special(read(lanes)))


def _lower_high_word(
    ins: Instruction,
    operand: Operand,
    constants: Constants,
    name: str,
    write: Callable[[Lanes, U32], Any],
) -> Execute:
    """RCP64H, RSQ64H: the high word of the result for the FP64 number with this high word and a low word of 0."""
    read, function = read_float32(ins, operand, constants), special64(name)
    shift, half = np.uint64(32), np.uint64(1 << 31)
    exponent, sign = np.uint32(0x7FF00000), np.uint32(0x80000000)

    def flush_high(words: U32) -> U32:
        return np.where(words & exponent == 0, words & sign, words)

    def execute(lanes: Lanes) -> None:
        words = flush_high(read(lanes)).astype(np.uint64) << shift
        result = function(words.view(np.float64))
        rounded = (result.view(np.uint64) + half >> shift).astype(np.uint32)
        write(lanes, np.where(np.isnan(result), np.uint32(0x7FFFFFFF), flush_high(rounded)))

    return execute
