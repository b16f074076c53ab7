"""Sets of lines as ascending arrays."""

import numpy as np
from numpy.typing import NDArray

from smsim.rules.rule import rule


@rule
def holds(lines: NDArray[np.int64], line: int) -> bool:
    """Whether a set of lines has the line."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        if lines[middle] < line:
            low = middle + 1
        else:
            high = middle
    return low < len(lines) and lines[low] == line
