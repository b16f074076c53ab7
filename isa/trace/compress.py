"""A history, a long sequence of small integers, kept as loops while it grows.

The newest symbols are an open tail. When the tail ends in the same stretch twice, the stretch becomes a loop, and while
the history follows the loop each symbol costs one comparison. Finished loops and symbols that belong to none are the
symbols of a second level, which finds loops of loops in the same way, and so does a third.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Symbols = tuple[int, ...]
Item = tuple[Symbols, int]  # pattern, repeats

LEVELS = 3

# Longest stretch whose repetition is found, in symbols of its level.
WINDOW = 256

# How many earlier places of a symbol are tried as the end of the stretch that it may end again.
PLACES = 8

# So many symbols that may follow a loop are compared with it at once.
AT_ONCE = 512

# A loop of loops is unrolled into one pattern of at most this many symbols; a longer one stays several steps.
MAX_PATTERN = 4096


class ItemTable:
    """Items numbered in the order in which they are first seen."""

    __slots__ = ("_ids", "items")

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._ids: dict[Item, int] = {}

    def intern(self, item: Item) -> int:
        """The item's number."""
        number = self._ids.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


class _Level:
    """The open end of one level: either a loop that is being followed, or a tail of symbols."""

    __slots__ = ("before", "last", "pattern", "position", "repeats", "start", "tail")

    def __init__(self) -> None:
        self.tail: list[int] = []
        self.start = 0  # index in the level's sequence of the tail's first symbol
        self.last: dict[int, int] = {}  # symbol to its last index in the level's sequence
        self.before: list[int] = []  # of each symbol of the tail the index at which it came last before, -1 for none
        self.pattern: Symbols = ()
        self.position = 0
        self.repeats = 0

    def copy(self) -> _Level:
        other = _Level()
        other.tail = self.tail.copy()
        other.start = self.start
        other.last = self.last.copy()
        other.before = self.before.copy()
        other.pattern, other.position, other.repeats = self.pattern, self.position, self.repeats
        return other

    def pending(self) -> Iterator[Item]:
        """The open end as items."""
        if self.pattern:
            yield self.pattern, self.repeats
            for symbol in self.pattern[: self.position]:
                yield (symbol,), 1
        for symbol in self.tail:
            yield (symbol,), 1


class Place(NamedTuple):
    """Where a history stands in the loop that it follows: the next symbol is ``pattern[position]``."""

    pattern: Symbols
    position: int
    repeats: int


class History:
    """A sequence of integers that grows at its end.

    Histories that are copies of each other share what they have in common, and their tables, one per level.
    """

    __slots__ = ("_chunks", "_closed", "_levels", "_tables")

    def __init__(self, tables: tuple[ItemTable, ...] | None = None) -> None:
        self._tables = tables or tuple(ItemTable() for _ in range(LEVELS - 1))
        self._levels = [_Level() for _ in range(LEVELS)]
        self._chunks: list[tuple[Item, ...]] = []
        self._closed: list[Item] = []

    def copy(self) -> History:
        """A history with the same past."""
        if self._closed:
            self._chunks.append(tuple(self._closed))
            self._closed = []
        other = History(self._tables)
        other._levels = [level.copy() for level in self._levels]
        other._chunks = self._chunks.copy()
        return other

    def place(self) -> Place | None:
        """The place in the loop that the newest symbols follow, if they follow one."""
        level = self._levels[0]
        return Place(level.pattern, level.position, level.repeats) if level.pattern else None

    def repeat(self, times: int) -> None:
        """Add the loop that the newest symbols follow so many times over, from where they stand in it."""
        self._levels[0].repeats += times

    def append(self, symbol: int) -> None:
        """Add the next symbol."""
        self._append(0, symbol)

    def extend(self, symbols: list[int]) -> None:
        """Add the next symbols; where they follow a loop, many at once."""
        place, level = 0, self._levels[0]
        while place < len(symbols):
            pattern = level.pattern
            if pattern and level.position == 0:
                times = AT_ONCE // len(pattern)
                stretch = symbols[place : place + times * len(pattern)]
                if len(stretch) == times * len(pattern) and stretch == list(pattern) * times:
                    level.repeats += times
                    place += len(stretch)
                    continue
            for symbol in symbols[place : place + AT_ONCE]:
                self._append(0, symbol)
            place += AT_ONCE

    def _append(self, depth: int, symbol: int) -> None:
        level = self._levels[depth]
        pattern = level.pattern
        if pattern:
            position = level.position
            if pattern[position] == symbol:
                position += 1
                if position == len(pattern):
                    level.repeats += 1
                    position = 0
                level.position = position
                return
            position, level.pattern = level.position, ()
            self._emit(depth, (pattern, level.repeats))
            for replayed in pattern[:position]:
                self._append(depth, replayed)
            self._append(depth, symbol)
            return
        tail = level.tail
        tail.append(symbol)
        index = level.start + len(tail) - 1
        earlier = level.last.get(symbol, -1)
        level.last[symbol] = index
        level.before.append(earlier)
        if period := self._repeated(level, index, earlier):
            for literal in tail[: -2 * period]:
                self._emit(depth, ((literal,), 1))
            level.pattern, level.position, level.repeats = tuple(tail[-period:]), 0, 2
            level.start += len(tail)
            level.tail, level.before = [], []
            level.last.clear()
        elif len(tail) > 2 * WINDOW:
            for literal in tail[:WINDOW]:
                self._emit(depth, ((literal,), 1))
            del tail[:WINDOW], level.before[:WINDOW]
            level.start += WINDOW

    @staticmethod
    def _repeated(level: _Level, index: int, earlier: int) -> int:
        """Length of the stretch that the tail ends in twice, 0 for none: its last symbol came at ``earlier``, too."""
        tail = level.tail
        for _ in range(PLACES):
            period = index - earlier
            if earlier < level.start or 2 * period > len(tail):
                return 0
            # The first symbols alone tell most stretches apart.
            if tail[-period] == tail[-2 * period] and tail[-period:] == tail[-2 * period : -period]:
                return period
            earlier = level.before[earlier - level.start]
        return 0

    def _emit(self, depth: int, item: Item) -> None:
        if depth + 1 == LEVELS:
            self._closed.append(item)
        else:
            self._append(depth + 1, self._tables[depth].intern(item))

    def steps(self) -> list[Item]:
        """The whole sequence as (pattern, repeats) of the symbols appended."""
        result: list[Item] = []
        literals: list[int] = []
        for pattern, repeats in self._all_items():
            if repeats == 1 and len(literals) + len(pattern) <= MAX_PATTERN:
                literals.extend(pattern)
                continue
            if literals:
                result.append((tuple(literals), 1))
                literals = []
            if result and result[-1][0] == pattern:
                result[-1] = (pattern, result[-1][1] + repeats)
            else:
                result.append((pattern, repeats))
        if literals:
            result.append((tuple(literals), 1))
        return result

    def _all_items(self) -> Iterator[Item]:
        for chunk in (*self._chunks, tuple(self._closed)):
            for item in chunk:
                yield from self._expand(LEVELS - 1, item)
        for depth in reversed(range(LEVELS)):
            for item in self._levels[depth].pending():
                yield from self._expand(depth, item)

    def _expand(self, depth: int, item: Item) -> Iterator[Item]:
        """An item of a level as items of the lowest level, unrolled into one where it is short."""
        if depth == 0:
            yield item
            return
        pattern, repeats = item
        table = self._tables[depth - 1].items
        parts = [part for symbol in pattern for part in self._expand(depth - 1, table[symbol])]
        if repeats > 1 and sum(len(symbols) * count for symbols, count in parts) <= MAX_PATTERN:
            yield tuple(symbol for symbols, count in parts for symbol in symbols * count), repeats
            return
        for _ in range(repeats):
            yield from parts
