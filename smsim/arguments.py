"""Kernel arguments as text: ``f32[4096]=random``, ``i32=4096``, ``i32[1024]=@keys.npy``.

``TYPE=NUMBER`` is a scalar. ``TYPE[SHAPE]=FILL`` is an array in global memory, SHAPE a count or counts with commas.
FILL is one of

==============  ======================================================================================
``zeros``       all 0
``ones``        all 1
``arange``      0, 1, 2, ... in C order, modulo the type's range for integers
``random``      floating point: uniform in [0, 1); integers: uniform in 0 to 127, which every type holds
``normal``      floating point only: standard normal
a number        every element
``@FILE.npy``   the array in the file; type and shape must be the ones named
==============  ======================================================================================

``random`` and ``normal`` take a seed, ``random:7``; without one the argument's position is the seed, so that two
arguments differ and a run repeats.
"""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.errors import LaunchError

TYPES: dict[str, np.dtype[Any]] = {
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
_FORM = re.compile(r"(?P<type>\w+)\s*(?:\[(?P<shape>[^\]]*)\])?\s*=\s*(?P<fill>.+)", re.DOTALL)
_MAX_BYTES = 80 * 10**9  # the H100's memory: more cannot be an argument
_RANDOM_INTEGERS = 128


def parse_arguments(texts: list[str]) -> list[np.generic | NDArray[Any]]:
    """Parse one text per kernel parameter, in order.

    Raises:
        LaunchError: naming the argument's position (from 0), what is wrong with it and what would be right.
    """
    return [parse_argument(text, position) for position, text in enumerate(texts)]


def parse_argument(text: str, position: int = 0) -> np.generic | NDArray[Any]:
    """Parse one argument; ``position`` (from 0) is for messages and the default seed.

    Returns:
        A NumPy scalar or a C-contiguous array of the type named.

    Raises:
        LaunchError: the text is not of the form above, or its file does not match.
    """
    try:
        return _parse(text.strip(), position)
    except _BadArgumentError as error:
        raise LaunchError(f"argument {position}, {text!r}: {error}") from None
    except MemoryError:
        raise LaunchError(f"argument {position}, {text!r}: too large for this machine's memory") from None


class _BadArgumentError(Exception):
    """What is wrong with an argument, without which one it is."""


def _parse(text: str, position: int) -> np.generic | NDArray[Any]:
    form = _FORM.fullmatch(text)
    if form is None:
        raise _BadArgumentError("expected TYPE=NUMBER or TYPE[SHAPE]=FILL, such as i32=4096 or f32[4096]=random")
    dtype = TYPES.get(form["type"])
    if dtype is None:
        raise _BadArgumentError(f"unknown type {form['type']!r}; the types are {', '.join(TYPES)}")
    fill = form["fill"].strip()
    if form["shape"] is None:
        return _number(fill, dtype)
    return _array(fill, dtype, _shape(form["shape"], dtype), position)


def _shape(text: str, dtype: np.dtype[Any]) -> tuple[int, ...]:
    counts = [count.strip() for count in text.split(",")]
    if not all(count.isascii() and count.isdigit() and int(count) > 0 for count in counts):
        raise _BadArgumentError(f"the shape [{text}] must be positive counts with commas, such as [4096] or [64,64]")
    shape = tuple(int(count) for count in counts)
    if math.prod(shape) * dtype.itemsize > _MAX_BYTES:
        raise _BadArgumentError("the array is larger than the GPU's memory")
    return shape


def _array(fill: str, dtype: np.dtype[Any], shape: tuple[int, ...], position: int) -> NDArray[Any]:
    if fill.startswith("@"):
        return _load(Path(fill[1:]), dtype, shape)
    word, _, seed_text = fill.partition(":")
    size = math.prod(shape)
    match word:
        case "zeros" | "ones" | "arange" if seed_text:
            raise _BadArgumentError(f"{word} takes no seed")
        case "zeros":
            return np.zeros(shape, dtype)
        case "ones":
            return np.ones(shape, dtype)
        case "arange":
            return np.arange(size, dtype=np.int64).astype(dtype).reshape(shape)
        case "random" | "normal":
            return _random(word, _seed(seed_text, position), dtype, shape)
    try:
        return np.full(shape, _number(fill, dtype), dtype)
    except _BadArgumentError as error:
        if fill[0].isdigit() or fill[0] in "+-.":
            raise
        fills = "zeros, ones, arange, random[:SEED], normal[:SEED], a number or @FILE.npy"
        raise _BadArgumentError(f"unknown fill {fill!r}; use {fills}") from error


def _random(word: str, seed: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    generator = np.random.default_rng(seed)
    if dtype.kind == "f":
        values = generator.random(shape) if word == "random" else generator.standard_normal(shape)
        return values.astype(dtype)
    if word == "normal":
        raise _BadArgumentError("normal needs a floating-point type; use random")
    return generator.integers(0, _RANDOM_INTEGERS, shape).astype(dtype)


def _seed(text: str, position: int) -> int:
    if not text:
        return position
    if not (text.isascii() and text.isdigit()):
        raise _BadArgumentError(f"the seed {text!r} must be a whole number, 0 or more")
    return int(text)


def _number(text: str, dtype: np.dtype[Any]) -> np.generic:
    try:
        value = int(text, 0) if dtype.kind in "iu" else float(text)
    except ValueError:
        kind = "a whole number" if dtype.kind in "iu" else "a number"
        raise _BadArgumentError(f"{text!r} is not {kind}") from None
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if not bounds.min <= value <= bounds.max:
            raise _BadArgumentError(f"{text} does not fit: the type holds {bounds.min} to {bounds.max}")
    elif math.isfinite(value) and abs(value) > float(np.finfo(dtype).max):
        raise _BadArgumentError(f"{text} does not fit: the type's largest value is {np.finfo(dtype).max}")
    scalar: np.generic = dtype.type(value)
    return scalar


def _load(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise _BadArgumentError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, EOFError) as error:
        raise _BadArgumentError(f"{path} is not a .npy array: {error}") from None
    if not isinstance(array, np.ndarray):
        raise _BadArgumentError(f"{path} is an archive of arrays (.npz); give a .npy file")
    if array.dtype != dtype or array.shape != shape:
        there = f"{array.dtype}{list(array.shape)}"
        raise _BadArgumentError(f"{path} holds {there}, not {dtype}{list(shape)}")
    return np.ascontiguousarray(array)
