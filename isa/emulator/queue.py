"""The groups of a batch that can run, and which of them goes next.

The one at the lowest address goes first, so that warps which left a loop early wait for the others and go on with them;
those that have yielded come after all that have not. A group that has waited ``PATIENCE`` steps gets ``SLICE`` steps of
its own: whatever can run does run, so a warp may spin until another one has done something.
"""

import heapq
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from isa.emulator.group import Group, clusters
from isa.emulator.lanes import U32, Lanes
from isa.emulator.splits import Split

PATIENCE = 512
SLICE = 256
PATIENCE_CHECK = 64

# Added to the place in the queue of what has yielded: behind everything that has not.
LAST = 1 << 40


class GroupQueue:
    """Groups that wait for their turn.

    Attributes:
        step: straight runs executed so far; whoever runs a group counts it up.
        slice_ends: the step until which the running group goes on whatever waits.
    """

    def __init__(self, view: Callable[[int, int], Lanes]) -> None:
        """Make a queue; ``view`` gives the lanes of the warps from a first to a last one (exclusive)."""
        self.step = 0
        self._view = view
        self._heap: list[tuple[int, int, Group]] = []
        self._sequence = 0
        self.slice_ends = 0
        self._patience_at = PATIENCE_CHECK

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, group: Group, after: int = 0) -> None:
        """Queue a group by its address; ``after`` is added to its place."""
        self._sequence += 1
        heapq.heappush(self._heap, (group.pc + after, self._sequence, group))

    def put_back(self, group: Group, pc: int, after: int = 0) -> None:
        """Queue the group that has just run until ``pc``."""
        group.pc = pc
        group.stamp = self.step
        self.push(group, after)

    def file(self, pc: int, warps: NDArray[np.intp], bits: U32) -> None:
        """Queue warps (ascending) at ``pc`` with lanes ``bits``."""
        for group in self._groups(pc, warps, bits, self.step):
            self.push(group)

    def file_splits(self, splits: Iterable[tuple[int, Split]], after: int = 0) -> None:
        """Queue (warp, split) pairs, in any order; ``after`` as for ``push``."""
        by_pc: dict[int, list[tuple[int, int]]] = {}
        for warp, split in splits:
            by_pc.setdefault(split.pc, []).append((warp, split.bits))
        for pc, members in by_pc.items():
            members.sort()
            warps = np.array([warp for warp, _ in members], np.intp)
            bits = np.array([bits for _, bits in members], np.uint32)
            for group in self._groups(pc, warps, bits, self.step):
                self.push(group, after)

    def _groups(self, pc: int, warps: NDArray[np.intp], bits: U32, stamp: int) -> list[Group]:
        """Groups of warps (ascending) near enough to each other to share a view."""
        return [
            Group(pc, warps[part], bits[part], self._view(int(warps[part][0]), int(warps[part][-1]) + 1), stamp)
            for part in clusters(warps)
        ]

    def others_at(self) -> int:
        """The place of the first group that waits, or one behind all places."""
        return self._heap[0][0] if self._heap else 2 * LAST

    def comes_before(self, pc: int) -> bool:
        """Whether a group that waits should run before, or together with, the running one, which is at ``pc``."""
        return bool(self._heap) and self.step >= self.slice_ends and pc >= self._heap[0][0]

    def pop(self) -> Group:
        """The group that goes next, with the others at its instruction that are near enough."""
        heap = self._heap
        if self.step >= self._patience_at and len(heap) > 1:
            self._patience_at = self.step + PATIENCE_CHECK
            oldest = min(heap, key=lambda entry: entry[2].stamp)
            if oldest[2].stamp + PATIENCE < self.step:
                heap.remove(oldest)
                heapq.heapify(heap)
                self.slice_ends = self.step + SLICE
                return oldest[2]
        place, _, group = heapq.heappop(heap)
        if not heap or heap[0][0] != place:
            return group
        groups = [group]
        while heap and heap[0][0] == place:
            groups.append(heapq.heappop(heap)[2])
        warps = np.concatenate([each.warps for each in groups])
        bits = np.concatenate([each.bits for each in groups])
        order = np.argsort(warps, kind="stable")
        stamp = min(each.stamp for each in groups)
        first, *others = self._groups(group.pc, warps[order], bits[order], stamp)
        for other in others:
            self.push(other)
        return first

    def end_slice(self) -> None:
        """The group with a slice of its own has blocked, exited or divided."""
        self.slice_ends = 0

    def take_all(self) -> list[Group]:
        """All groups; the queue is empty afterwards."""
        groups = [group for _, _, group in self._heap]
        self._heap = []
        return groups
