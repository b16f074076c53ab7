"""Ends of straight runs, and guards, as closures that say what they are, so that runs can be captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isa.operand import Register, RegisterFile

if TYPE_CHECKING:
    from isa.emulator.lanes import Bools, Lanes

ReadMask = Callable[["Lanes"], "Bools"]


def guard_reader(guard: Register) -> ReadMask:
    """A closure that reads a guard predicate, bool (n, 32) or (n, 1)."""
    index = guard.index
    uniform = guard.file is RegisterFile.UNIFORM_PREDICATE
    if guard.invert:
        if uniform:
            return lambda lanes: ~lanes.uniform_predicate(index)
        return lambda lanes: ~lanes.predicate(index)
    if uniform:
        return lambda lanes: lanes.uniform_predicate(index)
    return lambda lanes: lanes.predicate(index)


def note_skipped(lanes: Lanes, index: int, chosen: Bools) -> bool:
    """Note the warps in which no lane is ``chosen``; returns whether that is all of them."""
    if not chosen.any():
        lanes.skipped.append((index, None))
        return True
    if len(chosen) > 1:
        rows = chosen.any(axis=1)
        if not rows.all():
            lanes.skipped.append((index, ~rows))
    return False


@dataclass(frozen=True, slots=True)
class Go:
    """Go on at ``target``."""

    target: int

    def __call__(self, lanes: Lanes) -> int:
        """Where the group goes on."""
        del lanes
        return self.target


@dataclass(frozen=True, slots=True)
class Branch:
    """BRA: lanes in which the guard and all conditions are true go to ``target``, the others on."""

    index: int
    target: int
    guard: ReadMask | None
    conditions: Sequence[ReadMask]

    def __call__(self, lanes: Lanes) -> int | None:
        """Where the group goes on, if all of it goes one way."""
        taken, following = lanes.active(), self.index + 1
        if self.guard is not None:
            taken = self.guard(lanes) & taken
            if note_skipped(lanes, self.index, taken):
                return following
        for read in self.conditions:
            taken = read(lanes) & taken
        count = np.count_nonzero(taken)
        if count == 0:
            return following
        if count == lanes.batch.group.size:
            return self.target
        lanes.batch.branch(taken, self.target, following)
        return None


@dataclass(frozen=True, slots=True)
class Meet:
    """BSYNC: wait for the lanes that are to meet at convergence barrier ``register``."""

    index: int
    register: int

    def __call__(self, lanes: Lanes) -> int | None:
        """Where the group goes on, if all lanes are here."""
        return self.index + 1 if lanes.batch.converge(self.register, self.index) else None


@dataclass(frozen=True, slots=True)
class Synchronise:
    """BAR.SYNC: ``inner`` waits at the barriers that ``read`` gives: number | expected warps << 16."""

    read: Callable[[Lanes], NDArray[np.uint64]]
    inner: Callable[[Lanes], int | None]

    def __call__(self, lanes: Lanes) -> int | None:
        """Where the group goes on, if nobody waits."""
        return self.inner(lanes)


@dataclass(frozen=True, slots=True)
class GuardedControl:
    """``inner`` for the lanes whose guard is true; the others go on behind the instruction."""

    index: int
    read: ReadMask
    inner: Callable[[Any], int | None]

    def __call__(self, lanes: Lanes) -> int | None:
        """Where the group goes on, if all of it goes one way."""
        chosen = self.read(lanes) & lanes.active()
        if note_skipped(lanes, self.index, chosen):
            return self.index + 1
        batch = lanes.batch
        if np.count_nonzero(chosen) == batch.group.size:
            return self.inner(lanes)
        following = self.inner(batch.narrow(chosen, self.index + 1))
        if following is not None:
            batch.resume_at(following)
        return None


@dataclass(frozen=True, slots=True)
class Guarded:
    """An instruction within a run: ``inner`` under its guard."""

    index: int
    read: ReadMask
    inner: Callable[[Any], None]

    def __call__(self, lanes: Lanes) -> None:
        """Execute it."""
        mask = lanes.mask
        chosen = self.read(lanes) & lanes.active()
        if note_skipped(lanes, self.index, chosen):
            return
        if mask is None and np.count_nonzero(chosen) == chosen.size:
            self.inner(lanes)
            return
        lanes.mask = chosen
        self.inner(lanes)
        lanes.mask = mask
