"""Trajectories: how SMSPs have stood, one time after the other, and how they go on where they have stood so before."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smsim.engines.section import Section
from smsim.model import Model
from smsim.rules.gates import settle
from smsim.rules.issue_counts import turn_to_last
from smsim.state.sizes import NUM_QUEUES, NUM_SMSPS
from smsim.state.sms import MARKS

FIRST_SPACING = 4_000  # cycles from one snapshot to the next
FINENESS = 16  # later a part of the cycles since the first one
MOST_BYTES = 4 << 20  # of snapshots
MOST_MISTAKES = 8  # a snapshot whose word has come so often with another state is looked for no more


class Tally(NamedTuple):
    """What only grows: repeats by warp slot, warp-cycles, thread-instructions and events."""

    repeats: NDArray[np.int64]
    warp_cycles: NDArray[np.int64]
    threads: NDArray[np.int64]
    events: NDArray[np.int64]

    def plus(self, other: "Tally", times: int) -> "Tally":
        """With so many times another one."""
        return Tally(*(mine + times * theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass
class Snapshot:
    """How SMSPs stood at the start of a cycle, as the loop that is watched had just started again."""

    now: int
    word: int
    section: Section
    tally: Tally
    mistakes: int = 0


@dataclass(frozen=True)
class Place:
    """SMSPs stand as in a snapshot, but for the time and what only grows."""

    now: int
    snapshot: int
    tally: Tally


class Trajectory:
    """SMSPs that go on by themselves: one, or all.

    Args:
        model: the SM.
        smsps: their numbers.
        section: their state, and for all of them what they share.
        leader: the warp slot whose loop is watched.
        past: cycles behind which times make no difference.

    Attributes:
        snapshots: of the past, ascending.
        place: where on them, within a period, the SMSPs are once it is found out, ``None`` if not yet.
    """

    def __init__(self, model: Model, smsps: range, section: Section, leader: int, past: int) -> None:
        self.smsps = smsps
        self.leader = leader
        self.warps = slice(smsps.start, None, NUM_SMSPS if len(smsps) == 1 else 1)
        self.snapshots: list[Snapshot] = []
        self.place: Place | None = None
        self._model = model
        self._section = section
        self._past = past
        own = slice(smsps.start, smsps.stop)
        threads = model.smsps["thread_instructions"][own]
        events = model.sm["events"][: len(smsps) // NUM_SMSPS]  # one SMSP's loops cause none
        self._tally = Tally(model.warps["repeat"][self.warps], model.warp_cycles[own], threads, events)
        self._first = 0  # the snapshot with which the period begins
        self._cycles = 0  # that it lasts, 0 for none known
        self._gain = self._tally
        self._lost = 0

    @property
    def spacing(self) -> int:
        """Cycles from one snapshot to the next."""
        return max(FIRST_SPACING, (self.snapshots[-1].now - self.snapshots[0].now) // FINENESS if self.snapshots else 0)

    @property
    def due(self) -> int:
        """When the next snapshot is to be taken."""
        return self.snapshots[-1].now + self.spacing if self.snapshots else 0

    def words(self) -> list[int]:
        """The words by which SMSPs may be recognised."""
        return [snapshot.word for snapshot in self.snapshots if snapshot.mistakes < MOST_MISTAKES]

    @property
    def is_periodic(self) -> bool:
        """Whether it is known how the SMSPs repeat themselves."""
        return self._cycles > 0

    def recognise(self, now: int, end: int, word: int, others: list["Trajectory"]) -> bool:
        """Whether the SMSPs stand as in a snapshot with this word; then ``place`` says so.

        The snapshot may be one of ``others``, whose periods are known: then these are the SMSPs' own from now on. One
        before the period serves if that begins before ``end``.
        """
        for trajectory in (self, *others):
            begin = trajectory.snapshots[trajectory._first].now if trajectory.is_periodic else 0
            for number, snapshot in enumerate(trajectory.snapshots):
                if snapshot.word != word or snapshot.mistakes >= MOST_MISTAKES or now + begin - snapshot.now > end:
                    continue
                self._put_in_order(now)
                if snapshot.section.state(snapshot.now, self._past) == self._section.copy().state(now, self._past):
                    self._settle_at(now, number, trajectory)
                    return True
                snapshot.mistakes += 1
        return False

    def _settle_at(self, now: int, number: int, trajectory: "Trajectory") -> None:
        tally, snapshot = self._copied(), trajectory.snapshots[number]
        if not trajectory.is_periodic:
            self._first, self._cycles = number, now - snapshot.now
            self._gain = tally.plus(snapshot.tally, -1)
        self.snapshots, self._first = trajectory.snapshots, trajectory._first
        self._cycles, self._gain = trajectory._cycles, trajectory._gain
        first = self.snapshots[self._first]
        if number < self._first:
            now, number = now + first.now - snapshot.now, self._first
            tally = tally.plus(first.tally, 1).plus(snapshot.tally, -1)
        self.place = Place(now, number, tally)

    def look_again(self, now: int) -> None:
        """It is not known any more where on it the SMSPs are."""
        self.place = None
        self._lost = now

    def keep(self, now: int, word: int) -> None:
        """Take a snapshot, if it is not known how the SMSPs repeat themselves, or if they do otherwise by now."""
        if self._cycles and now > self._lost + 2 * self._cycles:
            self.snapshots, self._first, self._cycles = [], 0, 0
        if self._cycles:
            return
        self._put_in_order(now)
        self.snapshots.append(Snapshot(now, word, self._section.copy(), self._copied()))
        size = self._section.size + sum(array.nbytes for array in self._tally)
        if len(self.snapshots) > min(MARKS, max(FINENESS, MOST_BYTES // size)):
            del self.snapshots[1::2]

    def last(self, limits: NDArray[np.int64]) -> int:
        """The last time of a snapshot, come to again, at which no warp is behind its limit of repeats."""
        assert self.place
        gain, repeats = self._gain.repeats, self.place.tally.repeats
        moving = gain > 0
        turns = int(((limits - repeats)[moving] // gain[moving]).min())
        times = [self.place.now]
        for number in range(self._first, len(self.snapshots)):
            now, tally = self._at(number, turns + (number < self.place.snapshot))
            if (tally.repeats <= limits).all():
                times.append(now)
        return max(times)

    def _at(self, number: int, turns: int) -> tuple[int, Tally]:
        """When a snapshot is come to again, so many periods behind that at ``place``, and what has grown by then."""
        assert self.place
        here, there = self.snapshots[self.place.snapshot], self.snapshots[number]
        now = self.place.now + turns * self._cycles + there.now - here.now
        return now, self.place.tally.plus(self._gain, turns).plus(there.tally, 1).plus(here.tally, -1)

    def go_to(self, now: int) -> int:
        """Be as at the last time of a snapshot before ``now``, behind ``place``; returns that time."""
        assert self.place
        here = self.snapshots[self.place.snapshot].now
        turns, at, chosen = -1, -1, 0
        for number in range(self._first, len(self.snapshots)):
            passed = (now - self.place.now - (self.snapshots[number].now - here)) // self._cycles
            time = self.place.now + passed * self._cycles + self.snapshots[number].now - here
            if time > at:
                turns, at, chosen = passed, time, number
        at, tally = self._at(chosen, turns)
        self._section.become(self.snapshots[chosen].section)
        self._section.move(at - self.snapshots[chosen].now)
        self._model.warps["leads"] = 0
        for array, value in zip(self._tally, tally, strict=True):
            array[...] = value
        return at

    def _copied(self) -> Tally:
        return Tally(*(array.copy() for array in self._tally))

    def _put_in_order(self, now: int) -> None:
        """Book what the warps have waited for until now; have what stands in rings in the same places each time."""
        for smsp in self.smsps:
            settle(self._model, smsp, now)
            turn_to_last(self._model, smsp)
            for queue in range(NUM_QUEUES):
                self._turn_queue(smsp, queue)

    def _turn_queue(self, smsp: int, queue: int) -> None:
        state, depth = self._model.smsps[smsp], self._model.params[0]["queue_depth"][queue]
        head, places = state["queue_head"][queue], self._model.queues[smsp, queue, :depth]
        if head > 0:
            places[:] = np.concatenate([places[head:], places[:head]])
            state["queue_head"][queue] = 0
        places[state["queue_count"][queue] :] = 0
