"""FP8 conversions, the E4M3 and E5M2 forms of F2FP: pack two numbers into 16 bits, unpack two into FP16."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, Lanes
from isa.instruction import Instruction
from isa.operand import RZ, Register
from isa.semantics import convert_ufuncs, half_ufuncs
from isa.semantics.float_operands import read_float32, read_half2
from isa.semantics.half import write_half2
from isa.semantics.operands import Modifiers, operands_of, read_integer, write_register
from isa.semantics.registry import Constants, Execute, unsupported
from isa.semantics.rounding import NEAREST


@dataclass(frozen=True, slots=True)
class Format:
    """Fraction bits, exponent bias, bits of the largest finite number; NaN when packed is 0x7f in both."""

    fraction_bits: int
    bias: int
    largest: int

    def table(self) -> NDArray[np.float64]:
        """The values of the 256 bit patterns (OCP FP8): E5M2 has infinities, E4M3 only a NaN."""
        bits = np.arange(256)
        magnitude = bits & 0x7F
        exponent, fraction = magnitude >> self.fraction_bits, magnitude & (1 << self.fraction_bits) - 1
        leading = np.where(exponent == 0, 0, 1 << self.fraction_bits)
        values = (leading + fraction) * 2.0 ** (np.maximum(exponent, 1) - self.bias - self.fraction_bits)
        values = np.where(magnitude > self.largest, np.nan, values)
        if self.fraction_bits == 2:
            values = np.where(magnitude == self.largest + 1, np.inf, values)
        signed: NDArray[np.float64] = np.where(bits >= 0x80, -values, values)
        return signed


FORMATS = {"E4M3": Format(3, 7, 0x7E), "E5M2": Format(2, 15, 0x7B)}
_NAN = np.uint32(0x7F)


def pack(values: NDArray[Any], form: Format, relu: bool) -> U32:
    """Numbers to 8 bits, to nearest even; what is too large saturates at the largest finite number."""
    positive = form.table()[: form.largest + 1]
    wide = values.astype(np.float64)
    magnitude = np.abs(wide)
    # Halfway points between neighbours: at or above one, the upper neighbour is nearer; a tie goes to the even one.
    middle = (positive[:-1] + positive[1:]) / 2
    above = np.searchsorted(middle, magnitude, side="right")
    below = np.searchsorted(middle, magnitude, side="left")
    code = np.where(above & 1, below, above).astype(np.uint32)
    negative = np.signbit(wide)
    result = code | negative.astype(np.uint32) << np.uint32(7)
    if relu:
        result = np.where(negative, np.uint32(0), result)
    packed: U32 = np.where(np.isnan(wide), _NAN, result)
    return packed


def lower_fp8(ins: Instruction, constants: Constants) -> Execute:
    """F2FP with an FP8 format.

    Raises:
        UnsupportedInstructionError: another form than packing from FP32 or FP16 over RZ and unpacking to FP16.
    """
    modifiers = Modifiers(ins)
    relu, saturating = modifiers.take("RELU"), modifiers.take("SATFINITE")
    form = modifiers.require(FORMATS)
    source = modifiers.require({"F32": "F32", "F16": "F16"})
    if not saturating:
        modifiers.require({"UNPACK_B": None})
        modifiers.end()
        if ins.modifiers[0] != "F16" or relu:
            raise unsupported(ins, "no semantics for packing without SATFINITE")
        return _lower_unpack(ins, constants, form)
    modifiers.require({"PACK_AB_MERGE_C" if source == "F32" else "UNPACK_B_MERGE_C": None})
    modifiers.end()
    destination, *sources, merged = operands_of(ins, 4 if source == "F32" else 3)
    if not isinstance(merged, Register) or merged.index != RZ:
        raise unsupported(ins, "no semantics for merging with another register than RZ")
    write = write_register(ins, destination)
    if source == "F32":
        a, b = (read_float32(ins, s, constants) for s in sources)

        def execute(lanes: Lanes) -> None:
            high = pack(a(lanes).view(np.float32), form, relu)
            write(lanes, high << np.uint32(8) | pack(b(lanes).view(np.float32), form, relu))

        return execute
    read, widen = read_half2(ins, sources[0], constants), half_ufuncs.widen16(False)

    def execute_halves(lanes: Lanes) -> None:
        codes = pack(widen(read(lanes)), form, relu)
        write(lanes, codes[..., -1] << np.uint32(8) | codes[..., 0])

    return execute_halves


def _lower_unpack(ins: Instruction, constants: Constants, form: Format) -> Execute:
    destination, operand = operands_of(ins, 2)
    write, read = write_register(ins, destination), read_integer(ins, operand, constants)
    halves = convert_ufuncs.round_float("F16")(form.table(), NEAREST).astype(np.uint16)
    byte = np.uint32(0xFF)

    def execute(lanes: Lanes) -> None:
        words = read(lanes)
        codes = np.stack([words & byte, words >> np.uint32(8) & byte], axis=-1)
        write_half2(write, lanes, halves[codes])

    return execute
