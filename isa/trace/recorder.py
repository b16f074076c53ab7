"""Recording while the emulator runs: histories of runs shared by the warps that have the same, and memory accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from isa.errors import TraceError
from isa.trace.compress import LEVELS, History, ItemTable
from isa.trace.model import Space
from isa.trace.shapes import KEY_WORDS, summarise, unpack_keys

if TYPE_CHECKING:
    from isa.emulator.group import Group

Skipped = list[tuple[int, "NDArray[np.bool_] | None"]]

T = TypeVar("T", bound=np.generic)

_FIRST_CAPACITY = 1024

# 4 GiB of records; a trace of more is of no use.
_MAX_ACCESSES = 1 << 28


class Cohort:
    """Warps whose histories are the same so far."""

    __slots__ = ("history", "members")

    def __init__(self, history: History, members: int) -> None:
        self.history = history
        self.members = members


class AccessLog:
    """Memory accesses in the order in which they happened; shapes are numbered as they appear.

    Attributes:
        size: accesses so far.
        warps, shapes, bases: of each access, int32, int32 and uint64; longer than ``size``.
    """

    def __init__(self) -> None:
        self.size = 0
        self.warps = np.empty(_FIRST_CAPACITY, np.int32)
        self.shapes = np.empty(_FIRST_CAPACITY, np.int32)
        self.bases = np.empty(_FIRST_CAPACITY, np.uint64)
        self._shape_ids: dict[bytes, int] = {}

    def add(  # noqa: PLR0917
        self,
        addresses: NDArray[np.uint64],
        mask: NDArray[np.bool_],
        space: Space,
        width: int,
        warp: int,
        keys: NDArray[np.uint64],
    ) -> None:
        """Add the accesses of warps ``warp`` and following; arguments as ``isa.trace.shapes.summarise``.

        Raises:
            TraceError: there are more than a trace can hold.
        """
        position = self.size
        if position + len(mask) > len(self.warps):
            if position > _MAX_ACCESSES:
                raise TraceError(f"more than {_MAX_ACCESSES} memory accesses to record; run fewer blocks")
            capacity = 2 * len(self.warps) + len(mask)
            self.warps = _grown(self.warps, capacity)
            self.shapes = _grown(self.shapes, capacity)
            self.bases = _grown(self.bases, capacity)
        count, found = summarise(
            addresses, mask, int(space), width, warp, keys, position, self.warps, self.shapes, self.bases
        )
        ids = self._shape_ids
        numbers = np.array([ids.setdefault(keys[row].tobytes(), len(ids)) for row in range(found)], np.int32)
        self.size = position + count
        shapes = self.shapes[position : self.size]
        shapes[:] = numbers[shapes]

    def all_shapes(self) -> np.ndarray:
        """All shapes, dtype SHAPE."""
        return unpack_keys(np.frombuffer(b"".join(self._shape_ids), np.uint64).reshape(-1, KEY_WORDS))


def _grown(array: NDArray[T], capacity: int) -> NDArray[T]:
    """The same values with room for more, which takes no memory before it is used."""
    grown = np.empty(capacity, array.dtype)
    grown[: len(array)] = array
    return grown


class Recorder:
    """What the warps of a launch did, batch by batch.

    ``warp_base`` is the number, among all traced warps, of the running batch's first warp.
    """

    def __init__(self) -> None:
        self.log = AccessLog()
        self.runs: list[tuple[int, int, int]] = []
        self.cohorts: list[Cohort] = []
        self.warp_base = 0
        self._run_ids: dict[tuple[int, int, int], int] = {}
        self._tables = tuple(ItemTable() for _ in range(LEVELS - 1))

    def begin_batch(self, warps: int) -> None:
        """Make room for the warps of the next batch, which all start with an empty history."""
        self.warp_base = len(self.cohorts)
        self.cohorts.extend([Cohort(History(self._tables), warps)] * warps)

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

    def access(  # noqa: PLR0917
        self,
        first: int,
        space: Space,
        width: int,
        mask: NDArray[np.bool_],
        addresses: NDArray[np.uint64],
        keys: NDArray[np.uint64],
    ) -> None:
        """Lanes ``mask``, (n, 32), of the warps from ``first`` on touch ``width`` bytes each at ``addresses``, (n, 32).

        ``addresses`` is uint64; the width of a barrier access is 0. ``keys``, uint64 (n, 34), is room to work in.
        """
        self.log.add(addresses, mask, space, width, self.warp_base + first, keys)
