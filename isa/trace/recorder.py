"""Recording while the emulator runs: histories of runs shared by the warps that have the same, and memory accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from isa.errors import TraceError
from isa.trace.compress import LEVELS, History, ItemTable
from isa.trace.model import ACCESS, Space
from isa.trace.shapes import KEY_WORDS, file_shapes, note_accesses, unpack_keys

if TYPE_CHECKING:
    from isa.emulator.group import Group

Skipped = list[tuple[int, "NDArray[np.bool_] | None"]]

T = TypeVar("T", bound=np.generic)

_FIRST_CAPACITY = 1024

# 3 GiB of records; a trace of more is of no use.
_MAX_ACCESSES = 1 << 28


class Cohort:
    """Warps whose histories are the same so far."""

    __slots__ = ("history", "members")

    def __init__(self, history: History, members: int) -> None:
        self.history = history
        self.members = members


class AccessLog:
    """Memory accesses of a batch in the order in which they happened; shapes are numbered as they appear.

    Attributes:
        counts: how many accesses and shapes there are, int64 (2,).
        filed: how many accesses earlier batches made.
        warps, shapes, bases: of each access, int32, int32 and uint64; longer than there are accesses.
        slots, keys: the shapes, as ``isa.trace.shapes.note_accesses`` keeps them.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(2, np.int64)
        self.filed = 0
        self._begin()
        self.keys = np.zeros((_FIRST_CAPACITY, KEY_WORDS), np.uint64)
        self.slots = np.full(2 * _FIRST_CAPACITY, -1, np.int32)

    def _begin(self) -> None:
        self.counts[0] = 0
        self.warps = np.empty(_FIRST_CAPACITY, np.int32)
        self.shapes = np.empty(_FIRST_CAPACITY, np.int32)
        self.bases = np.empty(_FIRST_CAPACITY, np.uint64)

    @property
    def size(self) -> int:
        """How many accesses there are."""
        return int(self.counts[0])

    def make_room(self, count: int) -> None:
        """Make room for so many accesses.

        Raises:
            TraceError: there are more than a trace can hold.
        """
        size, known = self.counts.tolist()
        if size + count > len(self.warps):
            if self.filed + size > _MAX_ACCESSES:
                raise TraceError(f"more than {_MAX_ACCESSES} memory accesses to record; run fewer blocks")
            capacity = 2 * len(self.warps) + count
            self.warps = _grown(self.warps, capacity)
            self.shapes = _grown(self.shapes, capacity)
            self.bases = _grown(self.bases, capacity)
        if known + count >= len(self.keys):
            self.keys = _grown(self.keys, 2 * len(self.keys) + count)
            self.slots = np.full(1 << (2 * len(self.keys)).bit_length(), -1, np.int32)
            file_shapes(self.keys, known, self.slots)

    def add(self, addresses: NDArray[np.uint64], mask: NDArray[np.bool_], space: Space, width: int, warp: int) -> None:
        """Add the accesses of warps ``warp`` and following; arguments as ``isa.trace.shapes.note_accesses``.

        Raises:
            TraceError: there are more than a trace can hold.
        """
        self.make_room(len(mask))
        log = self.counts, self.warps, self.shapes, self.bases, self.slots, self.keys
        note_accesses(addresses, mask, int(space), width, warp, 0, *log)

    def file(self, first: int, warps: int) -> tuple[np.ndarray, NDArray[np.int64]]:
        """Take out all accesses, sorted by warp: dtype ACCESS, and how many each of so many warps from ``first`` made.

        So that the log is as long as a batch's, not as all of the trace; its room is given back.
        """
        size = self.size
        numbers = self.warps[:size] - first
        # Of numbers of one or two bytes sorting takes time proportional to how many they are.
        order = np.argsort(numbers.astype(np.min_scalar_type(warps)), kind="stable") if warps > 1 else slice(None)
        accesses = np.empty(size, ACCESS)
        accesses["shape"] = self.shapes[:size][order]
        accesses["base"] = self.bases[:size][order]
        self.filed += size
        self._begin()
        return accesses, np.bincount(numbers, minlength=warps)

    def all_shapes(self) -> np.ndarray:
        """All shapes, dtype SHAPE."""
        return unpack_keys(self.keys[: self.counts[1]])


def _grown(array: NDArray[T], capacity: int) -> NDArray[T]:
    """The same values with room for more, which takes no memory before it is used."""
    grown = np.empty((capacity, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


class Recorder:
    """What the warps of a launch did, batch by batch.

    Attributes:
        log: memory accesses of the running batch.
        accesses: those of each batch that has ended, dtype ACCESS, sorted by warp.
        counts: how many each warp of these batches made, int64, batch by batch.
        warp_base: the number, among all traced warps, of the running batch's first warp.
    """

    def __init__(self) -> None:
        self.log = AccessLog()
        self.accesses: list[np.ndarray] = []
        self.counts: list[NDArray[np.int64]] = []
        self.runs: list[tuple[int, int, int]] = []
        self.cohorts: list[Cohort] = []
        self.warp_base = 0
        self._run_ids: dict[tuple[int, int, int], int] = {}
        self._tables = tuple(ItemTable() for _ in range(LEVELS - 1))

    def begin_batch(self, warps: int) -> None:
        """Make room for the warps of the next batch, which all start with an empty history."""
        self.warp_base = len(self.cohorts)
        self.cohorts.extend([Cohort(History(self._tables), warps)] * warps)

    def end_batch(self) -> None:
        """The batch's warps have all exited."""
        accesses, counts = self.log.file(self.warp_base, len(self.cohorts) - self.warp_base)
        self.accesses.append(accesses)
        self.counts.append(counts)

    def run_id(self, start: int, length: int, mask: int) -> int:
        """The number of a run: ``length`` instructions from ``start`` under ``mask``."""
        key = (start, length, mask)
        number = self._run_ids.get(key)
        if number is None:
            number = self._run_ids[key] = len(self.runs)
            self.runs.append(key)
        return number

    def run(self, group: Group, start: int, length: int, skipped: Skipped) -> None:
        """The group executed ``length`` instructions from ``start``.

        ``skipped`` lists those whose guard was false in every lane of a warp: (instruction index, rows of the group's
        view, or ``None`` for all).
        """
        classes = group.classes
        if classes is None:
            classes = group.classes = self._classes(group)
        if not skipped:
            for history, mask in classes:
                history.append(self.run_id(start, length, mask))
            return
        if any(rows is not None for _, rows in skipped):
            local = group.warps - group.lanes.first
            flags = np.array([np.ones(len(local), bool) if rows is None else rows[local] for _, rows in skipped])
            group.classes = None
            keys = [tuple(column) for column in flags.T.tolist()]
            for history, mask, key in self._partition(group.warps, group.bits.tolist(), keys):
                indices = [index for (index, _), skips in zip(skipped, key, strict=True) if skips]
                self._append_cut(history, mask, start, length, indices)
            return
        indices = [index for index, _ in skipped]
        for history, mask in classes:
            self._append_cut(history, mask, start, length, indices)

    def pieces(self, group: Group, pieces: list[int]) -> None:
        """The group executed pieces of runs: first instruction << 32 | length << 1 | whether it was not skipped."""
        if not pieces:
            return
        classes = group.classes
        if classes is None:
            classes = group.classes = self._classes(group)
        different = dict.fromkeys(pieces)
        for history, mask in classes:
            numbers = {
                piece: self.run_id(piece >> 32, piece >> 1 & 0x7FFFFFFF, mask if piece & 1 else 0)
                for piece in different
            }
            history.extend([numbers[piece] for piece in pieces])

    def _classes(self, group: Group) -> list[tuple[History, int]]:
        """The histories of a group's warps, and the mask of each; one where the batch has never been apart."""
        warps, bits = group.warps, group.bits
        first = self.cohorts[self.warp_base + int(warps[0])]
        if first.members == len(warps) == len(self.cohorts) - self.warp_base and bool((bits == bits[0]).all()):
            return [(first.history, int(bits[0]))]
        return [(history, mask) for history, mask, _ in self._partition(warps, bits.tolist(), [()] * len(warps))]

    def _append_cut(self, history: History, mask: int, start: int, length: int, skipped: list[int]) -> None:
        end = start + length
        for index in skipped:
            if index > start:
                history.append(self.run_id(start, index - start, mask))
            history.append(self.run_id(index, 1, 0))
            start = index + 1
        if start < end:
            history.append(self.run_id(start, end - start, mask))

    def _partition(
        self, warps: NDArray[np.intp], bits: list[int], keys: list[tuple[bool, ...]]
    ) -> list[tuple[History, int, tuple[bool, ...]]]:
        """Cohorts made of exactly these warps, split where masks or keys differ: (history, mask, key) of each."""
        classes: dict[tuple[int, int, tuple[bool, ...]], list[int]] = {}
        cohorts = self.cohorts
        base = self.warp_base
        for warp, mask, key in zip(warps.tolist(), bits, keys, strict=True):
            classes.setdefault((id(cohorts[base + warp]), mask, key), []).append(base + warp)
        result = []
        for (_, mask, key), members in classes.items():
            cohort = cohorts[members[0]]
            if len(members) < cohort.members:
                cohort.members -= len(members)
                cohort = Cohort(cohort.history.copy(), len(members))
                for member in members:
                    cohorts[member] = cohort
            result.append((cohort.history, mask, key))
        return result

    def access(
        self, first: int, space: Space, width: int, mask: NDArray[np.bool_], addresses: NDArray[np.uint64]
    ) -> None:
        """Lanes ``mask``, (n, 32), of the warps from ``first`` on touch ``width`` bytes each at ``addresses``, (n, 32).

        ``addresses`` is uint64; the width of a barrier access is 0.
        """
        self.log.add(addresses, mask, space, width, self.warp_base + first)
