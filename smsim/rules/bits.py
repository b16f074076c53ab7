"""Sets of small numbers as bits of a word: an SMSP's warps (bit ``slot // 4``), its gates. Places of rings and rows."""

from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers
from numpy.typing import NDArray

from smsim.rules.rule import rule

# Intrinsics, typed as what makes them.
leading_zeros: Any = numbers.leading_zeros
trailing_zeros: Any = numbers.trailing_zeros


@rule
def lowest(mask: int) -> int:
    """The lowest bit set in a mask that is not 0."""
    return int(trailing_zeros(mask))


@rule
def highest(mask: int) -> int:
    """The highest bit set in a mask that is not 0."""
    return 63 - int(leading_zeros(mask))


@rule
def number_of(mask: int) -> int:
    """How many bits of a mask are set."""
    count = 0
    while mask != 0:
        mask &= mask - 1
        count += 1
    return count


@rule
def around(place: int, places: int) -> int:
    """A place of a ring, counted from 0 on and less than once around it; a division takes long."""
    return place - places if place >= places else place


@rule
def first_free(free: NDArray[np.int64]) -> int:
    """Of some places, given when each is free, the one that is so first; of several the first."""
    first = 0
    for place in range(1, len(free)):
        if free[place] < free[first]:
            first = place
    return first
