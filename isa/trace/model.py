"""The trace's arrays.

A warp's history is a stream: steps of (pattern, repeats). A pattern is a list of runs; a run is a straight stretch of
instructions executed under one mask. It ends at a control-flow instruction and before an instruction that a branch
names. A loop that repeats exactly is one step, however long it ran, and warps that did the same share one stream. An
instruction whose guard was false in every lane is a run of its own with mask 0: it is issued but does nothing.

Memory accesses are kept apart, one per executed instruction that ``isa.trace.recorded`` names and whose mask is not 0,
in program order of the warp: a shape (which lanes, how wide, offsets between lanes) shared by all accesses that look
alike, and a base, the address of the lowest lane. A LOCAL access holds thread-relative addresses; the memory model
interleaves them by lane as the hardware does. Of a GLOBAL access's addresses only the bits count that say where on the
device it is. A generic access is recorded as the space that its lanes fell into, as
GLOBAL when they fell into several; LDGSTS is its global access.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isa.launch import LaunchShape
from isa.program import Program
from isa.trace import file

PLACE_BITS = 48  # of a device address say where it is; those above only tell allocations apart

RUN = np.dtype([("start", np.int32), ("length", np.int32), ("mask", np.uint32)])
STEP = np.dtype([("pattern", np.int32), ("repeats", np.int64)])
WARP = np.dtype(
    [
        ("block", np.int32),  # index into ``blocks``
        ("warp", np.int32),  # warp within its block
        ("stream", np.int32),
        ("first_access", np.int64),
        ("num_accesses", np.int64),
    ]
)
SHAPE = np.dtype(
    [
        ("space", np.uint8),  # a Space
        ("width", np.uint8),  # bytes per lane
        ("mask", np.uint32),  # lanes that access
        ("offsets", np.int64, 32),  # bytes from the access's base, by lane; 0 where the mask is 0
    ]
)
ACCESS = np.dtype([("shape", np.int32), ("base", np.uint64)])


class Space(IntEnum):
    """What an access touches."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2
    CONSTANT = 3  # indexed constant loads: base holds bank << 32 | offset
    BARRIER = 4  # block barriers: base holds barrier id | expected warps << 16; no offsets
    VALUES = 5  # MATCH.ANY, WARPSYNC: base holds how many different values, or masks, the lanes have; no offsets


@dataclass(frozen=True, eq=False)
class Trace:
    """What the blocks of one launch executed.

    Attributes:
        program, launch: what ran.
        blocks: linear ids of the traced blocks, ascending, shape (B,), int64.
        warps: shape (W,), dtype WARP, ordered by block, then warp.
        runs: shape (R,), dtype RUN; ``start`` is an instruction index.
        pattern_offsets: shape (P + 1,), int64: pattern p is ``runs[pattern_offsets[p]:pattern_offsets[p + 1]]``.
        steps: shape (S,), dtype STEP.
        stream_offsets: shape (T + 1,), int64: stream t is ``steps[stream_offsets[t]:stream_offsets[t + 1]]``.
        shapes: shape (H,), dtype SHAPE.
        accesses: shape (A,), dtype ACCESS; those of a warp are contiguous.
        allocations: shape (N, 2), int64: place and bytes of each array in device memory.
    """

    program: Program
    launch: LaunchShape
    blocks: NDArray[np.int64]
    warps: np.ndarray
    runs: np.ndarray
    pattern_offsets: NDArray[np.int64]
    steps: np.ndarray
    stream_offsets: NDArray[np.int64]
    shapes: np.ndarray
    accesses: np.ndarray
    allocations: NDArray[np.int64]

    _DTYPES: ClassVar[dict[str, np.dtype[Any]]] = {
        **{"blocks": np.dtype(np.int64), "pattern_offsets": np.dtype(np.int64), "stream_offsets": np.dtype(np.int64)},
        "allocations": np.dtype(np.int64),
        **{"warps": WARP, "runs": RUN, "steps": STEP, "shapes": SHAPE, "accesses": ACCESS},
    }

    def save(self, path: str | Path) -> None:
        """Write the trace, its program included, to one file, whole or not at all.

        Raises:
            TraceError: the file cannot be written.
        """
        file.write(path, {field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: str | Path) -> "Trace":
        """Read a trace that ``save`` wrote.

        Raises:
            TraceError: the file cannot be read, is not a trace, is of another format version, or is damaged.
        """
        return cls(**file.read(path, cls._DTYPES))
