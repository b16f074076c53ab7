"""Iterations that an emulation leaves out and its trace does not: those of a loop that from now on only counts.

While every comparison comes out as before, so do all predicates and branches. Let two iterations have moved the
registers x by the same d. What reads none of the moved ones gives the same again; where all else is affine, an
iteration makes Ax + b of x, with the same A and b each time, so Ad = d, and each later one moves x by d, too. A side of
a comparison then moves in steps; until it wraps, or the sides meet, the comparison comes out as before. So many
iterations are left out at once: registers move by so many d, and the histories, which follow the loop, go on so often.

It is done for a group that is the only one that can run: none other can then see how long it takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.group import Group
from isa.emulator.lanes import U32, Bools, Lanes
from isa.emulator.loops import Comparison, Loop
from isa.operand import RegisterFile

# A loop is looked at for so many iterations (the fewest that can show it) once it has made PATIENCE, again once it has
# made twice as many, and so on: most loops end before, and some settle late.
PATIENCE = 8
LOOKS = 3

_ENDLESS = 1 << 62

_READ: dict[RegisterFile, Callable[[Lanes, int], Any]] = {
    RegisterFile.GENERAL: Lanes.register,
    RegisterFile.UNIFORM: Lanes.uniform,
    RegisterFile.PREDICATE: Lanes.predicate,
    RegisterFile.UNIFORM_PREDICATE: Lanes.uniform_predicate,
}
_WRITE: dict[RegisterFile, Callable[[Lanes, int, Any], None]] = {
    RegisterFile.GENERAL: Lanes.set_register,
    RegisterFile.UNIFORM: Lanes.set_uniform,
}

Sides = tuple[U32, U32]


class _Arrival:
    """The state in which a group comes back to the first instruction of a loop.

    Attributes:
        numbers, flags: the loop's registers, arrays of their own.
        sides: what each comparison would compare now.
        places: where each history stands in the loop that it follows, ``None`` when it follows none.
        step, executed: as the batch counts them.
    """

    __slots__ = ("executed", "flags", "numbers", "places", "sides", "step")

    def __init__(self, loop: Loop, group: Group, step: int, executed: int) -> None:
        lanes = group.lanes
        self.numbers = [_READ[each.file](lanes, each.index).copy() for each in loop.numbers]
        self.flags = [_READ[each.file](lanes, each.index).copy() for each in loop.flags]
        self.sides = [(a(lanes).copy(), b(lanes).copy()) for a, b in (each.sides for each in loop.comparisons)]
        self.places = [history.place() for history, _ in group.classes or ()]
        self.step = step
        self.executed = executed


@dataclass(frozen=True, slots=True)
class Iterations:
    """What iterations do to a group.

    Attributes:
        numbers: by how much they move each of the loop's ``numbers``.
        repeats: by how much they prolong the loop that each history follows.
        steps, executed: straight runs and instructions that they take.
    """

    numbers: list[U32]
    repeats: list[int]
    steps: int
    executed: int

    def are_as(self, other: "Iterations | None") -> bool:
        """Whether the others do the same."""
        return (
            other is not None
            and (self.repeats, self.steps, self.executed) == (other.repeats, other.steps, other.executed)
            and all(map(np.array_equal, self.numbers, other.numbers))
        )

    def times(self, count: int) -> "Iterations":
        """``count`` times as many iterations that go on so."""
        numbers = [each * np.uint32(count & 0xFFFFFFFF) for each in self.numbers]
        return Iterations(numbers, [each * count for each in self.repeats], self.steps * count, self.executed * count)


class LoopWatch:
    """Sees the running group come back to the first instruction of a loop."""

    __slots__ = ("_arrivals", "_before", "_group", "_iteration", "_look_at", "_loop", "_runs")

    def __init__(self, runs: Sequence[tuple[int, int, int]]) -> None:
        """Watch; ``runs`` are what the symbols of histories stand for: (start, length, mask)."""
        self._runs = runs
        self._loop: Loop | None = None
        self._group: Group | None = None
        self._begin()

    def _begin(self) -> None:
        self._arrivals, self._look_at = 0, PATIENCE
        self._before: _Arrival | None = None
        self._iteration: Iterations | None = None

    def patience(self, group: Group) -> tuple[int, int]:
        """The branch by which ``group`` has come back last, -1 if none, and how often more it may without a look."""
        if self._loop is None or group is not self._group:
            return -1, 0
        return self._loop.last, max(0, self._look_at - 1 - self._arrivals)

    def come_back(self, times: int) -> None:
        """The group has come back so many times by that branch, no more often than it may without a look."""
        self._arrivals += times

    def leave_out(self, loop: Loop, group: Group, step: int, executed: int) -> Iterations | None:
        """Leave out as many iterations as possible, ``None`` if none; returns what they have done to the group.

        Args:
            loop, group: the group has come back to the loop's first instruction.
            step, executed: straight runs and instructions executed so far.
        """
        if loop is not self._loop or group is not self._group:
            self._loop, self._group = loop, group
            self._begin()
        self._arrivals += 1
        if self._arrivals < self._look_at:
            return None
        before, known = self._before, self._iteration
        self._before = _Arrival(loop, group, step, executed)
        self._iteration = None if before is None else self._between(loop, before, self._before)
        left_out = None
        if before is not None and self._iteration is not None and self._iteration.are_as(known):
            left_out = _continue(loop, group, before, self._before, self._iteration)
        if left_out is not None:
            self._begin()
        elif self._arrivals == self._look_at + LOOKS - 1:
            self._look_at *= 2
            self._before = self._iteration = None
        return left_out

    def _between(self, loop: Loop, before: _Arrival, now: _Arrival) -> Iterations | None:
        """The iteration between two arrivals, if it kept the predicates and all histories follow the loop."""
        if not now.places or len(now.places) != len(before.places):
            return None
        if not all(map(np.array_equal, before.flags, now.flags)):
            return None
        repeats = []
        for earlier, later in zip(before.places, now.places, strict=True):
            if earlier is None or later is None or later[:2] != earlier[:2] or later.repeats == earlier.repeats:
                return None
            if not all(self._lies_in(loop, symbol) for symbol in later.pattern):
                return None
            repeats.append(later.repeats - earlier.repeats)
        numbers = [b - a for a, b in zip(before.numbers, now.numbers, strict=True)]
        return Iterations(numbers, repeats, now.step - before.step, now.executed - before.executed)

    def _lies_in(self, loop: Loop, symbol: int) -> bool:
        start, length, _ = self._runs[symbol]
        return loop.first <= start and start + length <= loop.last + 1


def _continue(loop: Loop, group: Group, before: _Arrival, now: _Arrival, iteration: Iterations) -> Iterations | None:
    """Go on as in the last two iterations, from ``now`` on, as often as it is sure to happen."""
    moved = [register for register, change in zip(loop.numbers, iteration.numbers, strict=True) if change.any()]
    if not loop.moves_on(moved):
        return None
    lanes = group.lanes
    compared = zip(loop.comparisons, before.sides, now.sides, strict=True)
    count = min((_room(*each, lanes.active()) for each in compared), default=_ENDLESS)
    if not 0 < count < _ENDLESS:
        return None
    left_out = iteration.times(count)
    for register, change in zip(loop.numbers, left_out.numbers, strict=True):
        _WRITE[register.file](lanes, register.index, _READ[register.file](lanes, register.index) + change)
    for (history, _), repeats in zip(group.classes, left_out.repeats, strict=True):
        history.repeat(repeats)
    return left_out


def _room(comparison: Comparison, before: Sides, now: Sides, mask: Bools) -> int:
    """How many more iterations, at least, a comparison comes out as in the last one, in all lanes of ``mask``.

    Args:
        comparison: the comparison.
        before, now: its sides at the beginning of the last iteration and of the next.
        mask: bool (n, 32).
    """
    dtype = np.int32 if comparison.signed else np.uint32
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    room: NDArray[np.int64] = np.full((1, 1), _ENDLESS)
    values, steps = [], []
    for earlier, later, late in zip(before, now, comparison.late, strict=True):
        value = (later if late else earlier).view(dtype).astype(np.int64)
        step = (later - earlier).view(np.int32).astype(np.int64)
        until_it_wraps = np.where(step > 0, high - value, value - low) // np.maximum(np.abs(step), 1)
        room = np.minimum(room, np.where(step == 0, _ENDLESS, until_it_wraps))
        values.append(value)
        steps.append(step)
    apart, approach = values[0] - values[1], steps[0] - steps[1]
    until_they_meet = np.maximum(np.abs(apart) - 1, 0) // np.maximum(np.abs(approach), 1)
    meeting = (approach != 0) & (np.sign(apart) != np.sign(approach))
    room = np.minimum(room, np.where(meeting, until_they_meet, _ENDLESS))
    return int(np.broadcast_to(room, mask.shape)[mask].min())
