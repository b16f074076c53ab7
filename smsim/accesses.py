"""What each memory access of a trace touches: cache lines, sectors and shared-memory wavefronts.

Accesses that look alike relative to their line share one class, so that a loop over an array has a handful of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.model import Space

BANKS = 32
WORD = 4
LANES = 32


# An access: its class, and the cache line that the class is relative to (for a barrier, the access's base).
ACCESS = np.dtype([("kind", np.int64), ("line", np.int64)], align=True)
# A class: a Space, passes through the data stage, how many of them its width alone needs, the most lanes that touch one
# word, the packets that a store sends to L2 (one for each sector, and one more for each line of which a sector is
# written in part), and the lines touched.
KIND = np.dtype(
    [
        ("space", np.int64),
        ("wavefronts", np.int64),
        ("least_wavefronts", np.int64),
        ("lanes_per_word", np.int64),
        ("packets", np.int64),
        ("first_touch", np.int64),
        ("end_touch", np.int64),
    ],
    align=True,
)
# A line that a class touches, relative to the access's line, and a bit mask of its sectors.
TOUCH = np.dtype([("delta", np.int64), ("sectors", np.int64)], align=True)


class Accesses(NamedTuple):
    """The trace's accesses, ready for the memory rules: records of dtype ACCESS, KIND and TOUCH."""

    accesses: np.ndarray
    kinds: np.ndarray
    touches: np.ndarray


def build_accesses(trace: Trace, line_bytes: int, sector_bytes: int) -> Accesses:
    """Classify every access of the trace by shape and by alignment of its base within a line."""
    shape = trace.accesses["shape"].astype(np.int64)
    base = trace.accesses["base"].astype(np.int64)
    spaces = trace.shapes["space"][shape] if len(shape) else np.zeros(0, np.uint8)
    is_local = spaces == Space.LOCAL
    # A thread's local words are interleaved by lane: one 32-bit word of all lanes fills a line of 128 bytes.
    align = np.where(spaces == Space.BARRIER, 0, np.where(is_local, base % WORD, base % line_bytes))
    line = np.where(spaces == Space.BARRIER, base, np.where(is_local, base // WORD, base // line_bytes))
    keys, kind = np.unique(np.stack([shape, align], axis=1), axis=0, return_inverse=True)
    built = [_touch(trace.shapes[s], int(a), line_bytes, sector_bytes) for s, a in keys]
    accesses = np.zeros(len(shape), ACCESS)
    accesses["kind"] = kind.reshape(-1)
    accesses["line"] = line
    ends = np.cumsum([len(touches) for touches, _ in built])
    kinds = np.zeros(len(built), KIND)
    kinds["space"] = trace.shapes["space"][keys[:, 0]] if built else 0
    kinds["wavefronts"] = [wavefronts for _, wavefronts in built]
    kinds["least_wavefronts"] = [_least_wavefronts(trace.shapes[s]) for s, _ in keys]
    kinds["lanes_per_word"] = [_lanes_per_word(trace.shapes[s]) for s, _ in keys]
    kinds["packets"] = [_packets(trace.shapes[s], int(a), line_bytes, sector_bytes) for s, a in keys]
    kinds["first_touch"] = np.concatenate([[0], ends[:-1]]) if built else 0
    kinds["end_touch"] = ends
    return Accesses(accesses, kinds, np.array([touch for touches, _ in built for touch in touches], TOUCH))


def _touch(shape: np.void, align: int, line_bytes: int, sector_bytes: int) -> tuple[list[tuple[int, int]], int]:
    """The lines that a class touches, with their sector masks, and its wavefronts."""
    space, width = Space(int(shape["space"])), int(shape["width"])
    active = _active(shape)
    if space == Space.BARRIER or not len(active):
        return [], 1
    starts = shape["offsets"][active] + align
    if space == Space.SHARED:
        return [], shared_wavefronts(starts, active, width)
    if space == Space.CONSTANT:
        return [], len(np.unique(starts))
    words = starts[:, None] + np.arange(0, width, min(width, WORD))
    if space == Space.LOCAL:
        words = words // WORD * (LANES * WORD) + active[:, None] * WORD + words % WORD
    sectors = np.unique(words // sector_bytes)
    per_line = line_bytes // sector_bytes
    masks: dict[int, int] = {}
    for sector in sectors.tolist():
        masks[sector // per_line] = masks.get(sector // per_line, 0) | 1 << sector % per_line
    return sorted(masks.items()), _least_wavefronts(shape)


def _packets(shape: np.void, align: int, line_bytes: int, sector_bytes: int) -> int:
    """What a store of this class sends to L2."""
    active = _active(shape)
    if Space(int(shape["space"])) != Space.GLOBAL or not len(active):
        return 0
    written = np.unique((shape["offsets"][active] + align)[:, None] + np.arange(int(shape["width"])))
    sectors, bytes_written = np.unique(written // sector_bytes, return_counts=True)
    in_part = np.unique(sectors[bytes_written < sector_bytes] * sector_bytes // line_bytes)
    return len(sectors) + len(in_part)


def _active(shape: np.void) -> NDArray[np.int64]:
    """The lanes that access."""
    return np.flatnonzero((int(shape["mask"]) >> np.arange(LANES)) & 1)


def _least_wavefronts(shape: np.void) -> int:
    """Passes of 128 bytes that the access's width needs without any conflict."""
    return max(1, -(-int(shape["width"]) * len(_active(shape)) // (LANES * WORD)))


def _lanes_per_word(shape: np.void) -> int:
    """The most lanes that start at one address."""
    active = _active(shape)
    return int(np.unique(shape["offsets"][active], return_counts=True)[1].max()) if len(active) else 1


def shared_wavefronts(starts: NDArray[np.int64], lanes: NDArray[np.int64], width: int) -> int:
    """Passes that a shared-memory access takes: per group of lanes, the most different words in one bank.

    A 64-bit access is served by half warps and a 128-bit one by quarter warps, so that a group never moves more than
    the 128 bytes that the banks deliver at once.
    """
    words_per_lane = max(1, width // WORD)
    group_lanes = LANES // words_per_lane
    total = 0
    for group in np.unique(lanes // group_lanes):
        first = starts[lanes // group_lanes == group] // WORD
        words = np.unique(first[:, None] + np.arange(words_per_lane))
        total += int(np.bincount(words % BANKS).max())
    return total
