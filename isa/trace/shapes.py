"""Memory accesses of a group as shapes and bases."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from isa.trace.model import SHAPE, Space


@numba.njit(
    "Tuple((int64, boolean))(uint64[:,:], boolean[:,:], int64[::1], uint32[::1], int64[:,::1], uint64[::1])", cache=True
)
def _summarise(  # noqa: PLR0917
    addresses: Any, mask: Any, rows: Any, bits: Any, offsets: Any, bases: Any
) -> Any:
    """Compact the rows that have lanes; returns how many there are and whether they all look alike."""
    count = 0
    alike = True
    for row in range(mask.shape[0]):
        word = np.uint32(0)
        base = np.uint64(0)
        for lane in range(32):
            offsets[count, lane] = 0
            if mask[row, lane]:
                if word == 0:
                    base = addresses[row, lane]
                word |= np.uint32(1) << np.uint32(lane)
                offsets[count, lane] = np.int64(addresses[row, lane] - base)
        if word == 0:
            continue
        rows[count] = row
        bits[count] = word
        bases[count] = base
        if count > 0 and alike:
            alike = bits[0] == word
            for lane in range(32):
                alike = alike and offsets[0, lane] == offsets[count, lane]
        count += 1
    return count, alike


def summarise(
    space: Space, width: int, mask: NDArray[np.bool_], addresses: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], np.ndarray, NDArray[np.uint64]]:
    """What lanes ``mask``, (n, 32), touch at ``addresses``, uint64 (n, 32).

    Returns:
        The rows with at least one lane, shape (k,); their shapes, dtype SHAPE, one only when all are alike, else k;
        and their bases, the address of the lowest lane, uint64 (k,).
    """
    n = len(mask)
    rows = np.empty(n, np.int64)
    bits = np.empty(n, np.uint32)
    offsets = np.empty((n, 32), np.int64)
    bases = np.empty(n, np.uint64)
    count, alike = _summarise(addresses, mask, rows, bits, offsets, bases)
    kept = 1 if alike else count
    shapes = np.empty(kept, SHAPE)
    shapes["space"] = space
    shapes["width"] = width
    shapes["mask"] = bits[:kept]
    shapes["offsets"] = offsets[:kept]
    return rows[:count], shapes, bases[:count]
