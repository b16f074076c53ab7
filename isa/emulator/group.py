"""Groups: warps that stand at the same instruction and execute together."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, WARP_SIZE, Bools, Lanes

FULL_MASK = 0xFFFFFFFF

# Warps this far apart are computed apart: the lanes between them would be wasted.
MAX_HOLE = 4


def pack(mask: Bools) -> U32:
    """Lane masks, bool (n, 32), as one word per warp, uint32 (n,); bit i is lane i."""
    return np.packbits(mask, axis=1, bitorder="little").view(np.uint32)[:, 0]


def unpack(bits: U32) -> Bools:
    """One word per warp, uint32 (n,), as lane masks, bool (n, 32)."""
    words = np.ascontiguousarray(bits).view(np.uint8).reshape(-1, 4)
    return np.unpackbits(words, axis=1, bitorder="little").view(np.bool_)


class Group:
    """Warps at one instruction.

    Attributes:
        pc: instruction index.
        warps: warp indices within the batch, ascending, shape (k,).
        bits: the lanes of each that execute, uint32 (k,).
        lanes: the view of the warps from the first to the last.
        mask: bool (n, 32) for that view, ``None`` when every lane of it executes.
        row_bits: uint32 (n, 1): ``bits`` for that view, 0 in holes.
        size: lanes that execute.
        stamp: scheduler step at which the group, or the longest waiting part of it, last ran.
        classes: the recorder's memory of which warps share a history; ``None`` until it has looked.
    """

    __slots__ = ("bits", "classes", "lanes", "mask", "pc", "row_bits", "size", "stamp", "warps")

    def __init__(self, pc: int, warps: NDArray[np.intp], bits: U32, lanes: Lanes, stamp: int) -> None:
        self.pc = pc
        self.warps = warps
        self.bits = bits
        self.lanes = lanes
        self.stamp = stamp
        self.classes: Any = None
        if lanes.count == len(warps):
            self.row_bits = bits[:, None]
            full = bool((bits == FULL_MASK).all())
        else:
            self.row_bits = np.zeros((lanes.count, 1), np.uint32)
            self.row_bits[warps - lanes.first, 0] = bits
            full = False
        self.mask: Bools | None = None if full else unpack(self.row_bits[:, 0])
        self.size = WARP_SIZE * len(warps) if self.mask is None else int(np.count_nonzero(self.mask))


def clusters(warps: NDArray[np.intp]) -> list[slice]:
    """Cut ascending warp indices where neighbours are more than ``MAX_HOLE`` warps apart."""
    if warps[-1] - warps[0] < len(warps) + MAX_HOLE:
        return [slice(0, len(warps))]
    cuts = np.flatnonzero(np.diff(warps) > MAX_HOLE) + 1
    edges = [0, *cuts.tolist(), len(warps)]
    return [slice(start, end) for start, end in pairwise(edges)]
