"""Memory accesses of a group as shapes and bases.

While a kernel runs, a shape is a key of 34 uint64: space and width, lanes, and the 32 offsets.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.compiled import compiled
from isa.trace.model import SHAPE

KEY_WORDS = 34


@compiled("boolean(uint64[:,::1], int64, int64)")
def _are_same(keys: Any, one: int, other: int) -> bool:
    word = 1
    while word < KEY_WORDS and keys[one, word] == keys[other, word]:
        word += 1
    return word == KEY_WORDS


# A warp's shape is looked for among so many of the warps before it.
LOOK_BACK = 8


@compiled(
    "UniTuple(int64, 2)(uint64[:,::1], boolean[:,:], int64, int64, int64, uint64[:,::1], int64, int32[::1],"
    " int32[::1], uint64[::1])"
)
def summarise(  # noqa: PLR0917
    addresses: Any,
    mask: Any,
    space: int,
    width: int,
    warp: int,
    keys: Any,
    position: int,
    warps: Any,
    shapes: Any,
    bases: Any,
) -> tuple[int, int]:
    """Write the warps that access something, their shapes and bases, at ``position`` of the last three arguments.

    Args:
        addresses: uint64 (n, 32).
        mask: bool (n, 32), the lanes that access.
        space, width: of all of them.
        warp: number of the first row's warp.
        keys: uint64 (n, 34), written: the shapes that occur; one may occur twice where there are many.
        position: where to write.
        warps: int32, written.
        shapes: int32, written: of each warp which of ``keys``.
        bases: uint64, written: the address of the warp's lowest lane.

    Returns:
        How many warps access something, and the number of shapes.
    """
    count, found = 0, 0
    for row in range(mask.shape[0]):
        word = np.uint64(0)
        base = np.uint64(0)
        for lane in range(32):
            if mask[row, lane]:
                if word == 0:
                    base = addresses[row, lane]
                word |= np.uint64(1) << np.uint64(lane)
                keys[found, lane + 2] = addresses[row, lane] - base
            else:
                keys[found, lane + 2] = np.uint64(0)
        if word == 0:
            continue
        keys[found, 0] = space | width << 8
        keys[found, 1] = word
        shape = found
        for before in range(max(0, found - LOOK_BACK), found):
            if _are_same(keys, before, found):
                shape = before
        if shape == found:
            found += 1
        warps[position + count] = warp + row
        shapes[position + count] = shape
        bases[position + count] = base
        count += 1
    return count, found


def unpack_keys(keys: NDArray[np.uint64]) -> np.ndarray:
    """Keys, uint64 (k, 34), as shapes, dtype SHAPE (k,)."""
    shapes = np.empty(len(keys), SHAPE)
    shapes["space"] = keys[:, 0] & 0xFF
    shapes["width"] = keys[:, 0] >> 8
    shapes["mask"] = keys[:, 1]
    shapes["offsets"] = keys[:, 2:].view(np.int64)
    return shapes
