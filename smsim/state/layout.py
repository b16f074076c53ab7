"""How records lie in the cache lines of the host."""

from typing import Any

import numpy as np

from smsim.in_lines import LINE_BYTES


def in_lines(fields: list[Any]) -> np.dtype[np.void]:
    """A record of an odd number of whole cache lines: an array of them spreads over all sets of a cache."""
    fitted = np.dtype(fields, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES) | 1)


def in_whole_lines(fitted: np.dtype[np.void], lines: int) -> np.dtype[np.void]:
    """The same record, with room for so many cache lines."""
    assert fitted.fields is not None
    offsets = [fitted.fields[name][1] for name in fitted.names or ()]
    formats = [fitted.fields[name][0] for name in fitted.names or ()]
    layout: Any = {"names": fitted.names, "formats": formats, "offsets": offsets, "itemsize": lines * LINE_BYTES}
    record: np.dtype[np.void] = np.dtype(layout, align=True)
    return record


def small_first(fields: list[Any]) -> np.dtype[np.void]:
    """A record of whole cache lines, whose single numbers lie side by side before its rows: they share few lines."""
    rows_last = sorted(fields, key=lambda field: np.dtype(field[1:]).itemsize if field[2:] else 0)
    fitted = np.dtype(rows_last, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES))


def lines_of_numbers(record: np.dtype[np.void]) -> int:
    """The cache lines that its single numbers take."""
    assert record.fields is not None
    return -(-max(place[1] + 8 for place in record.fields.values() if not place[0].shape) // LINE_BYTES)


def lines_to(record: np.dtype[np.void], field: str) -> int:
    """The cache lines of a record up to the end of a field."""
    assert record.fields is not None
    kind, offset, *_ = record.fields[field]
    return -(-(offset + kind.itemsize) // LINE_BYTES)
