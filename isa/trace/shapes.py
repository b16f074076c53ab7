"""Memory accesses of a group as shapes and bases.

While a kernel runs, a shape is a key of 34 uint64: space and width, lanes, and the 32 offsets.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.compiled import compiled
from isa.trace.model import SHAPE

KEY_WORDS = 34


@compiled("int64(uint64[:,::1], boolean[:,:], int64, int64, int64, uint64[:,::1], int64, int32[::1], uint64[::1])")
def summarise(  # noqa: PLR0917
    addresses: Any, mask: Any, space: int, width: int, warp: int, keys: Any, position: int, warps: Any, bases: Any
) -> int:
    """Write the warps that access something, and their bases, at ``position`` of ``warps`` and ``bases``.

    Args:
        addresses: uint64 (n, 32).
        mask: bool (n, 32), the lanes that access.
        space, width: of all of them.
        warp: number of the first row's warp.
        keys: uint64 (n, 34), written: the shape of each warp that accesses, in the same order.
        position: where to write.
        warps: int32, written.
        bases: uint64, written: the address of the warp's lowest lane.

    Returns:
        How many warps access something; negative when their shapes are all the same.
    """
    count = 0
    alike = True
    for row in range(mask.shape[0]):
        word = np.uint64(0)
        base = np.uint64(0)
        for lane in range(32):
            if mask[row, lane]:
                if word == 0:
                    base = addresses[row, lane]
                word |= np.uint64(1) << np.uint64(lane)
                keys[count, lane + 2] = addresses[row, lane] - base
            else:
                keys[count, lane + 2] = np.uint64(0)
        if word == 0:
            continue
        keys[count, 0] = space | width << 8
        keys[count, 1] = word
        warps[position + count] = warp + row
        bases[position + count] = base
        if count > 0 and alike:
            for i in range(1, KEY_WORDS):
                if keys[0, i] != keys[count, i]:
                    alike = False
                    break
        count += 1
    return -count if alike else count


def unpack_keys(keys: NDArray[np.uint64]) -> np.ndarray:
    """Keys, uint64 (k, 34), as shapes, dtype SHAPE (k,)."""
    shapes = np.empty(len(keys), SHAPE)
    shapes["space"] = keys[:, 0] & 0xFF
    shapes["width"] = keys[:, 0] >> 8
    shapes["mask"] = keys[:, 1]
    shapes["offsets"] = keys[:, 2:].view(np.int64)
    return shapes
