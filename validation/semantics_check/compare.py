"""The emulator on the operations and operands of the check, and its differences from what a GPU gave."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.module import Module
from validation.semantics_check.operands import COUNT, U64, division_grid, kind, operand_sets
from validation.semantics_check.prepare import SLOW_PATH, compile_family, patched_division

THREADS = 128

# Operations that hold a MUFU whose own error shows in the result; all others must agree in every bit. How far the
# emulator may be from the GPU is the error that NVIDIA documents for the intrinsic or function (for the GPU) and half
# a unit in the last place (for the emulator): units in the last place of the result, or an absolute error.
TOLERANCES = files("validation.semantics_check") / "tolerances.csv"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Units in the last place, or an absolute error; one is enough."""

    ulps: float
    absolute: float


@cache
def tolerances() -> dict[str, Tolerance]:
    """By operation."""
    lines = [line.split("#")[0].strip() for line in TOLERANCES.read_text().splitlines()]
    rows = [line.split(",") for line in lines[1:] if line]
    return {name: Tolerance(float(ulps), float(absolute)) for name, ulps, absolute in rows}


def recorded(name: str = "h100") -> dict[str, NDArray[Any]]:
    """The outputs that a GPU gave, by operation."""
    with (files("validation.semantics_check") / f"{name}.npz").open("rb") as stream, np.load(stream) as stored:
        return {key: stored[key] for key in stored.files}


def emulated(family: str) -> dict[str, U64]:
    """What the emulator gives for every operation of a family."""
    module = Module(compile_family(family))
    operands = operand_sets()
    outputs = {}
    for name in module.names:
        outputs[name] = np.zeros(COUNT, np.uint64)
        launch = LaunchShape((COUNT // THREADS, 1, 1), (THREADS, 1, 1))
        emulate(module.program(name), launch, [*operands[kind(name)], outputs[name]])
    return outputs


def emulated_division_check() -> NDArray[np.uint8]:
    """FCHK's answers for all pairs of exponents, packed as the recording has them."""
    program = Module(patched_division(compile_family("float32"))).program("f32_div_rn")
    a, b = division_grid()
    output = np.zeros(a.size, np.uint64)
    emulate(program, LaunchShape((a.size // THREADS, 1, 1), (THREADS, 1, 1)), [a, b, b, output])
    return np.packbits(output == SLOW_PATH)


def differences(name: str, ours: U64, theirs: U64) -> NDArray[np.intp]:
    """Indices at which an operation's outputs differ by more than it may."""
    different = ours != theirs
    tolerance = tolerances().get(name)
    if tolerance is not None:
        different &= ~_close(name, ours, theirs, tolerance)
    return np.flatnonzero(different)


def _close(name: str, ours: U64, theirs: U64, tolerance: Tolerance) -> NDArray[np.bool_]:
    """Close as numbers of the operation's format (each half by itself); a NaN is close to nothing else."""
    close = np.ones(ours.shape, np.bool_)
    for x, y, fraction_bits in _numbers(name, ours, theirs):
        with np.errstate(invalid="ignore"):
            error = np.abs(x - y)
        exponent = np.frexp(np.maximum(np.abs(x), np.abs(y)))[1] - 1
        unit = np.ldexp(1.0, exponent - fraction_bits)
        same = ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))
        close &= same | (error <= tolerance.ulps * unit) | (error <= tolerance.absolute)
    return close


def _numbers(name: str, ours: U64, theirs: U64) -> list[tuple[Any, Any, int]]:
    form = kind(name)
    if form == "f64":
        return [(ours.view(np.float64), theirs.view(np.float64), 52)]
    if form == "f32":
        x, y = (values.astype(np.uint32).view(np.float32).astype(np.float64) for values in (ours, theirs))
        return [(x, y, 23)]
    pairs = []
    for shift in (np.uint64(0), np.uint64(16)):
        halves = [(values >> shift).astype(np.uint16) for values in (ours, theirs)]
        if form == "f16":
            x, y = (half.view(np.float16).astype(np.float64) for half in halves)
            pairs.append((x, y, 10))
        else:
            x, y = ((half.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64) for half in halves)
            pairs.append((x, y, 7))
    return pairs
