"""The lines that many accesses touch, each once, with the sectors of it that they touch."""

from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from isa.compiled import compiled, source_digest

_NONE = np.iinfo(np.int64).min  # no line
_FIRST_ROOM = 1024


@numba.njit
def _place(keys: Any, line: int) -> Any:
    """Where a line stands among the keys, as many as a power of two, or is to stand."""
    hashed = np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(hashed >> np.uint64(32)) & (len(keys) - 1)
    while keys[place] != _NONE and keys[place] != line:
        place = (place + 1) & (len(keys) - 1)
    return place


_DIGEST = source_digest([Path(__file__)])
_ARRAY = "int64[::1]"


@compiled(f"int64({_ARRAY}, {_ARRAY}, int64, {_ARRAY}, {_ARRAY}, {_ARRAY}, {_ARRAY}, {_ARRAY}, int64)", _DIGEST)
def _add(  # noqa: PLR0917
    lines: Any, classes: Any, first: int, starts: Any, deltas: Any, masks: Any, keys: Any, found: Any, known: int
) -> int:
    """Add accesses from the ``first`` on while there is room, a line's as a whole; returns with which to go on.

    Args:
        lines, classes, first, starts, deltas, masks: as for ``TouchedLines.add``.
        keys, found: the lines, by their hash, and their masks, written.
        known: how many lines there are.
    """
    for number in range(first, len(lines)):
        kind = classes[number]
        if number > first and lines[number] == lines[number - 1] and kind == classes[number - 1]:
            continue
        if 2 * (known + starts[kind + 1] - starts[kind]) > len(keys):
            return number
        for touch in range(starts[kind], starts[kind + 1]):
            line = lines[number] + deltas[touch]
            place = _place(keys, line)
            known += keys[place] == _NONE
            keys[place] = line
            found[place] |= masks[touch]
    return len(lines)


@compiled(f"void({_ARRAY}, {_ARRAY}, {_ARRAY}, {_ARRAY})", _DIGEST)
def _move(keys: Any, found: Any, new_keys: Any, new_found: Any) -> None:
    """Write keys and masks into larger arrays."""
    for old in range(len(keys)):
        if keys[old] != _NONE:
            place = _place(new_keys, keys[old])
            new_keys[place], new_found[place] = keys[old], found[old]


class TouchedLines:
    """A set of lines with masks."""

    def __init__(self) -> None:
        """Begin without any."""
        self._keys: NDArray[np.int64] = np.full(_FIRST_ROOM, _NONE)
        self._masks: NDArray[np.int64] = np.zeros(_FIRST_ROOM, np.int64)

    def add(
        self,
        lines: NDArray[np.int64],
        classes: NDArray[np.integer[Any]],
        starts: NDArray[np.int64],
        deltas: NDArray[np.int64],
        masks: NDArray[np.int64],
    ) -> None:
        """Add what accesses touch.

        Args:
            lines, classes: of each access, (accesses,).
            starts: of each class its first place in ``deltas``; one more for the end of the last.
            deltas: the lines that a class touches, relative to the access's.
            masks: of these what is touched, bit masks.
        """
        of_each, kinds = np.ascontiguousarray(lines, np.int64), np.ascontiguousarray(classes, np.int64)
        first = 0
        while True:
            known = int(np.count_nonzero(self._keys != _NONE))
            first = _add(of_each, kinds, first, starts, deltas, masks, self._keys, self._masks, known)
            if first == len(lines):
                return
            keys, found = np.full(4 * len(self._keys), _NONE), np.zeros(4 * len(self._keys), np.int64)
            _move(self._keys, self._masks, keys, found)
            self._keys, self._masks = keys, found

    @property
    def lines(self) -> NDArray[np.int64]:
        """The lines, ascending."""
        return np.sort(self._keys[self._keys != _NONE])

    @property
    def count(self) -> int:
        """How many bits all masks have."""
        return int(np.bitwise_count(self._masks).sum())


@compiled(f"int64({_ARRAY}, {_ARRAY}, {_ARRAY}, int64[:,::1], int64, {_ARRAY}, {_ARRAY})", _DIGEST)
def _ends(  # noqa: PLR0917
    masks: Any, widths: Any, aligns: Any, offsets: Any, line_bytes: int, starts: Any, deltas: Any
) -> int:
    """Fill ``starts`` and ``deltas``, as of ``TouchedLines.add``, for classes as of ``end_lines``; returns the end."""
    known = 0
    for kind in range(len(masks)):
        starts[kind] = known
        for lane in range(32):
            for last in range(2) if masks[kind] >> lane & 1 else range(0):
                line = (offsets[kind, lane] + aligns[kind] + last * (widths[kind] - 1)) // line_bytes
                is_new = True
                for other in range(starts[kind], known):
                    is_new &= deltas[other] != line
                if is_new:
                    deltas[known] = line
                    known += 1
    starts[len(masks)] = known
    return known


def end_lines(
    shapes: np.ndarray, aligns: NDArray[np.int64], line_bytes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lines in which the lanes' bytes begin and end, as ``starts`` and ``deltas`` of ``TouchedLines.add``.

    Args:
        shapes: of each class, dtype SHAPE (k,).
        aligns: where in a line its accesses begin, (k,).
        line_bytes: bytes of a line.
    """
    starts, deltas = np.zeros(len(shapes) + 1, np.int64), np.zeros(64 * len(shapes), np.int64)
    masks, widths = shapes["mask"].astype(np.int64), shapes["width"].astype(np.int64)
    count = _ends(masks, widths, aligns, np.ascontiguousarray(shapes["offsets"]), line_bytes, starts, deltas)
    return starts, deltas[:count]
