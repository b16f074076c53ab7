"""Arrays that begin with a cache line of the machine that this runs on."""

from typing import Any

import numpy as np

LINE_BYTES = 64


def zeros(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros that begin with a cache line; no memory is touched."""
    dtype = np.dtype(dtype)
    size = dtype.itemsize * int(np.prod(shape))
    room = np.zeros(size + LINE_BYTES, np.uint8)
    first = -room.ctypes.data % LINE_BYTES
    records: np.ndarray = room[first : first + size].view(dtype).reshape(shape)
    return records
