"""FP16 and BF16 in pairs: HADD2, HMUL2, HFMA2 (on either unit), HMNMX2, VHMNMX, HSET2, HSETP2."""

from typing import Any

import numpy as np

from isa.emulator.lanes import Lanes
from isa.instruction import Instruction
from isa.operand import Immediate, Operand
from isa.semantics import float_ufuncs, half_ufuncs
from isa.semantics.compare import COMBINATIONS
from isa.semantics.float32 import FLOAT_COMPARISONS
from isa.semantics.float_operands import SIGN16, read_half2, without_bars
from isa.semantics.operands import (
    U16,
    Modifiers,
    Read16,
    Write32,
    is_true,
    join,
    read_predicate,
    write_predicate,
    write_register,
)
from isa.semantics.registry import Constants, Execute, semantics, unsupported
from isa.semantics.rounding import NAN16

ONE16 = {False: 0x3C00, True: 0x3F80}  # 1.0 by whether the format is BF16
_MINUS_ZERO = np.full((1, 1, 1), 0x8000, np.uint16)


def half_sources(ins: Instruction, operands: tuple[Operand, ...], count: int, constants: Constants) -> list[Read16]:
    """Readers of ``count`` operands; an immediate is printed as two numbers and counts once.

    Raises:
        UnsupportedInstructionError: another number of operands.
    """
    reads: list[Read16] = []
    rest = list(operands)
    while rest:
        operand = rest.pop(0)
        if isinstance(operand, Immediate) and rest and isinstance(rest[0], Immediate):
            rest.pop(0)
        reads.append(read_half2(ins, operand, constants))
    if len(reads) != count:
        raise unsupported(ins, f"{len(reads)} sources where {count} are known")
    return reads


def write_half2(write: Write32, lanes: Lanes, values: U16) -> None:
    """Write pairs of halves, uint16 (n, 32, 2) or with a last axis of 1 that stands for both."""
    if values.shape[-1] == 1:
        values = np.broadcast_to(values, (*values.shape[:-1], 2))
    write(lanes, join(values))


@semantics("HADD2", "HMUL2", "HFMA2", "HFMA2.MMA")
def lower_arithmetic(ins: Instruction, constants: Constants) -> Execute:
    """Add, multiply, multiply and add with one rounding; .FTZ, .SAT, .RELU, .BF16_V2; HADD2.F32 converts and adds."""
    modifiers = Modifiers(ins)
    bfloat, ftz = modifiers.take("BF16_V2"), modifiers.take("FTZ")
    saturate, relu = modifiers.take("SAT"), modifiers.take("RELU")
    wide = ins.opcode == "HADD2" and modifiers.take("F32")
    modifiers.end()
    write = write_register(ins, ins.operands[0])
    fused = ins.opcode.startswith("HFMA2")
    reads = half_sources(ins, ins.operands[1:], 3 if fused else 2, constants)
    if wide:
        if saturate or relu:
            raise unsupported(ins, "no semantics for modifiers SAT and RELU with F32")
        return _lower_wide_add(reads, write, bfloat, ftz)
    fuse = half_ufuncs.fused16(bfloat, ftz, saturate, relu)
    a, b = reads[0], reads[1]
    if fused:
        c = reads[2]
        return lambda lanes: write_half2(write, lanes, fuse(a(lanes), b(lanes), c(lanes)))
    if ins.opcode == "HADD2":
        one = np.full((1, 1, 1), ONE16[bfloat], np.uint16)
        return lambda lanes: write_half2(write, lanes, fuse(a(lanes), one, b(lanes)))
    return lambda lanes: write_half2(write, lanes, fuse(a(lanes), b(lanes), _MINUS_ZERO))


def _lower_wide_add(reads: list[Read16], write: Write32, bfloat: bool, ftz: bool) -> Execute:
    """HADD2.F32: the low halves of both operands, as selected, added in FP32."""
    widen, add = half_ufuncs.widen16(bfloat), float_ufuncs.add32(ftz, False)
    a, b = reads

    def execute(lanes: Lanes) -> None:
        x, y = widen(a(lanes)[..., 0]), widen(b(lanes)[..., 0])
        write(lanes, add(x.view(np.uint32), y.view(np.uint32)))

    return execute


@semantics("HMNMX2")
def lower_hmnmx2(ins: Instruction, constants: Constants) -> Execute:
    """Minimum where the predicate is true, maximum where it is false, of each half; as FMNMX."""
    modifiers = Modifiers(ins)
    bfloat, ftz = modifiers.take("BF16_V2"), modifiers.take("FTZ")
    nan, xor_sign = modifiers.take("NAN"), modifiers.take("XORSIGN")
    modifiers.end()
    destination, *sources, predicate = ins.operands
    write = write_register(ins, destination)
    a, b = half_sources(ins, tuple(sources), 2, constants)
    minimum = read_predicate(ins, predicate)
    select = half_ufuncs.minimum_maximum16(bfloat)
    if not xor_sign:
        return lambda lanes: write_half2(
            write, lanes, select(a(lanes), b(lanes), minimum(lanes)[..., np.newaxis], ftz, nan)
        )
    signed_a, signed_b = half_sources(ins, tuple(without_bars(s) for s in sources), 2, constants)

    def execute(lanes: Lanes) -> None:
        result = select(a(lanes), b(lanes), minimum(lanes)[..., np.newaxis], ftz, nan)
        sign = (signed_a(lanes) ^ signed_b(lanes)) & SIGN16
        write_half2(write, lanes, np.where(result == np.uint16(NAN16), result, result | sign))

    return execute


@semantics("VHMNMX")
def lower_vhmnmx(ins: Instruction, constants: Constants) -> Execute:
    """Minimum or maximum of three, of each half: HMNMX2 of the first two, then of that and the third."""
    modifiers = Modifiers(ins)
    bfloat, ftz, nan = modifiers.take("BF16_V2"), modifiers.take("FTZ"), modifiers.take("NAN")
    modifiers.end()
    destination, *sources, predicate = ins.operands
    write = write_register(ins, destination)
    a, b, c = half_sources(ins, tuple(sources), 3, constants)
    minimum = read_predicate(ins, predicate)
    select = half_ufuncs.minimum_maximum16(bfloat)

    def execute(lanes: Lanes) -> None:
        is_minimum = minimum(lanes)[..., np.newaxis]
        first = select(a(lanes), b(lanes), is_minimum, ftz, nan)
        write_half2(write, lanes, select(first, c(lanes), is_minimum, ftz, nan))

    return execute


def _lower_comparison(ins: Instruction, modifiers: Modifiers, reads: list[Read16]) -> Any:
    """A closure that compares both halves: bool (n, 32, 2), or a last axis of 1 that stands for both."""
    bfloat = modifiers.take("BF16_V2")
    compare = modifiers.require(FLOAT_COMPARISONS)
    ftz = modifiers.take("FTZ")
    widen = half_ufuncs.widen16(bfloat)
    infinity_bit = np.uint16(0x7F80 if bfloat else 0x7C00)
    a, b = reads

    def value(bits: U16) -> Any:
        if ftz:
            bits = np.where(bits & infinity_bit == 0, bits & SIGN16, bits)
        return widen(bits)

    return lambda lanes: compare(value(a(lanes)), value(b(lanes)))


@semantics("HSET2")
def lower_hset2(ins: Instruction, constants: Constants) -> Execute:
    """Compare each half: all ones or, with .BF, 1.0 for true; 0 for false."""
    modifiers = Modifiers(ins)
    bfloat = "BF16_V2" in ins.modifiers
    true = np.uint16(ONE16[bfloat] if modifiers.take("BF") else 0xFFFF)
    destination, *sources, with_operand = ins.operands
    compare = _lower_comparison(ins, modifiers, half_sources(ins, tuple(sources), 2, constants))
    combine = modifiers.require(COMBINATIONS)
    modifiers.end()
    write = write_register(ins, destination)
    other = read_predicate(ins, with_operand)

    def execute(lanes: Lanes) -> None:
        result = combine(compare(lanes), other(lanes)[..., np.newaxis])
        write_half2(write, lanes, np.where(result, true, np.uint16(0)))

    return execute


@semantics("HSETP2")
def lower_hsetp2(ins: Instruction, constants: Constants) -> Execute:
    """Compare each half into a predicate, the low half's first; with .H_AND both halves, and the opposite."""
    modifiers = Modifiers(ins)
    both = modifiers.take("H_AND")
    first, second, *sources, with_operand = ins.operands
    compare = _lower_comparison(ins, modifiers, half_sources(ins, tuple(sources), 2, constants))
    combine = modifiers.require(COMBINATIONS)
    modifiers.end()
    write_first, write_second = write_predicate(ins, first), write_predicate(ins, second)
    other = read_predicate(ins, with_operand)
    second_wanted = not is_true(second)

    def execute(lanes: Lanes) -> None:
        result = compare(lanes)
        low, high = result[..., 0], result[..., -1]
        if both:
            low = low & high
            high = ~low
        operand = other(lanes)
        write_first(lanes, combine(low, operand))
        if second_wanted:
            write_second(lanes, combine(high, operand))

    return execute
