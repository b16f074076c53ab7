"""Memory accesses of a group as shapes and bases.

While a kernel runs, a shape is a key of 34 uint64: space and width, lanes, and the 32 offsets.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from isa.compiled import compiled
from isa.trace.model import PLACE_BITS, SHAPE, Space

KEY_WORDS = 34
_APART = 64 - PLACE_BITS  # bits of an address that tell allocations apart


@numba.njit
def _between(address: Any, base: Any) -> Any:
    """How far an address lies from another one, by their places."""
    return np.uint64(np.int64((address - base) << np.uint64(_APART)) >> np.int64(_APART))


@compiled("boolean(uint64[:,::1], int64, int64)")
def _are_same(keys: Any, one: int, other: int) -> bool:
    word = 0
    while word < KEY_WORDS and keys[one, word] == keys[other, word]:
        word += 1
    return word == KEY_WORDS


@compiled("int64(uint64[:,::1], int32[::1], int64)")
def _number_of(keys: Any, slots: Any, known: int) -> Any:
    """The number of the shape in row ``known`` of the keys, one of the rows before it, or ``known``: it is new.

    Args:
        keys: uint64 (k, 34); the first ``known`` rows are all different.
        slots: int32, as many as a power of two: the numbers of the known shapes by their hash, -1 where there is none.
        known: the number of known shapes.
    """
    hashed = np.uint64(0xCBF29CE484222325)
    for word in range(KEY_WORDS):
        hashed = (hashed ^ keys[known, word]) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> np.uint64(32)
    slot = np.int64(hashed & np.uint64(len(slots) - 1))
    while slots[slot] >= 0:
        if _are_same(keys, slots[slot], known):
            return slots[slot]
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = known
    return known


@compiled(
    "int64(uint64[:,::1], boolean[:,::1], int64, int64, int64, int64, int64[::1], int32[::1], int32[::1], uint64[::1],"
    " int32[::1], uint64[:,::1])"
)
def note_accesses(  # noqa: PLR0917
    addresses: Any,
    mask: Any,
    space: int,
    width: int,
    warp: int,
    guess: int,
    counts: Any,
    warps: Any,
    shapes: Any,
    bases: Any,
    slots: Any,
    keys: Any,
) -> int:
    """Write which warps access something, and the shapes and bases of these accesses, behind those that are there.

    Args:
        addresses: uint64 (n, 32); of shared and local memory the low 32 bits count.
        mask: bool (n, 32), the lanes that access.
        space, width: of all of them.
        warp: number of the first row's warp.
        guess: the shape that the first of them is likely to have.
        counts: int64 (2,): how many accesses and shapes there are, counted up.
        warps, shapes, bases: int32, int32 and uint64, written: of each access the warp, the shape's number, and the
            address of the lowest lane.
        slots, keys: the shapes, as in ``_number_of``, written, with room for n more.

    Returns:
        The shape of the last.
    """
    dropped = np.uint64(32) if space in (Space.SHARED, Space.LOCAL) else np.uint64(0)
    if space == Space.GLOBAL:
        dropped = np.uint64(_APART)
    head = np.uint64(space | width << 8)
    for row in range(mask.shape[0]):
        word = np.uint64(0)
        for lane in range(32):
            word |= np.uint64(mask[row, lane]) << np.uint64(lane)
        if word == 0:
            continue
        lowest = 0
        while not mask[row, lowest]:
            lowest += 1
        base = addresses[row, lowest]
        difference = keys[guess, 0] ^ head | keys[guess, 1] ^ word
        for lane in range(32):
            difference |= _between(addresses[row, lane], base) * np.uint64(mask[row, lane]) ^ keys[guess, lane + 2]
        known = counts[1]
        if difference or known == 0:
            keys[known, 0] = head
            keys[known, 1] = word
            for lane in range(32):
                keys[known, lane + 2] = _between(addresses[row, lane], base) * np.uint64(mask[row, lane])
            guess = _number_of(keys, slots, known)
            counts[1] += guess == known
        place = counts[0]
        warps[place] = warp + row
        shapes[place] = guess
        bases[place] = base << dropped >> dropped
        counts[0] += 1
    return guess


@compiled("void(uint64[:,::1], int64, int32[::1])")
def file_shapes(keys: Any, known: int, slots: Any) -> None:
    """Fill ``slots``, all -1, with the numbers of the first ``known`` keys, as ``_number_of`` finds them."""
    for number in range(known):
        _number_of(keys, slots, number)


def unpack_keys(keys: NDArray[np.uint64]) -> np.ndarray:
    """Keys, uint64 (k, 34), as shapes, dtype SHAPE (k,)."""
    shapes = np.empty(len(keys), SHAPE)
    shapes["space"] = keys[:, 0] & 0xFF
    shapes["width"] = keys[:, 0] >> 8
    shapes["mask"] = keys[:, 1]
    shapes["offsets"] = keys[:, 2:].view(np.int64)
    return shapes
