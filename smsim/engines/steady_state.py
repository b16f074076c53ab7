"""Steady states: where an SM repeats itself exactly, whole periods are skipped and accounted, as if simulated.

SMSPs stand as they stood some cycles ago when, with every time counted from now, their state is the same, but for the
repeats of the loops that their warps are in. What lies ahead of each warp is the same too until one of these loops
ends, so they must do again what they did, with the same effect on every counter. Times so far back that no rule can
tell them apart count as one.
Where no warp's loop touches what the SMSPs share, each SMSP repeats itself with a period of its own, and is taken on by
whole periods and some cycles more, alone, to a time that all have in common. Elsewhere the SM has to repeat as one. A
loop that accesses memory is never skipped: its addresses would have to repeat too.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smsim.code import BRANCH, FIXED, NONE, XU
from smsim.engines.section import Section, own_of, shared_of, together
from smsim.model import Model
from smsim.rules.gates import settle
from smsim.rules.issue_counts import turn_to_last
from smsim.rules.memory import is_l1tex_busy
from smsim.state import EMPTY, EXITED, NEVER, NUM_SMSPS, XU_QUEUE

# How many words of each SMSP are kept, a power of two: periods of about as many repeats of a loop are found.
MARKS = 1 << 15
# What has looked like a period so often and was none is watched no more.
MOST_MISTAKES = 64

Run = Callable[[int, int], object]  # simulates from a cycle to before another


@dataclass(frozen=True)
class Snapshot:
    """SMSPs at the start of a cycle: ``state`` is what has to repeat, the rest, by warp and SMSP, goes on meanwhile."""

    now: int
    state: tuple[bytes, ...]
    repeats: NDArray[np.int64]
    warp_cycles: NDArray[np.int64]
    events: NDArray[np.int64]


@dataclass(frozen=True)
class Period:
    """What SMSPs do again and again: its cycles, and what is added meanwhile."""

    cycles: int
    repeats: NDArray[np.int64]
    warp_cycles: NDArray[np.int64]
    events: NDArray[np.int64]


class Watched:
    """SMSPs that repeat themselves together: one, or all.

    Args:
        smsps: their numbers.
        section: their state, and for all of them what they share.
        leader: the warp slot whose loop is followed.
    """

    def __init__(self, smsps: range, section: Section, leader: int) -> None:
        self.smsps = smsps
        self.section = section
        self.leader = leader
        self.before: Snapshot | None = None
        self.period: Period | None = None
        self.warps = slice(smsps.start, None, NUM_SMSPS if len(smsps) == 1 else 1)


class SteadyState:
    """Watches a model for periods.

    Args:
        model: between any two cycles.

    Attributes:
        marks: for the rules, how the SMSPs have stood.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        params, instructions = model.params[0], model.instructions
        # No rule adds more than this to a time.
        self._past = sum(int(np.abs(params[name]).max()) for name in params.dtype.names or () if params[name].size)
        self._past += int(instructions["reach"].max() + instructions["read_latency"].max())
        # A branch that parts no lanes has no use for the convergence unit.
        self._parting = (instructions["unit"] == BRANCH) & (instructions["sm_interval"] > 0) & ~instructions["joins"]
        alone = self._parting | (instructions["sm_interval"] == 0)
        alone &= np.isin(instructions["unit"], (NONE, FIXED, XU, BRANCH)) & ~instructions["empties_l1"]
        self._accessing = np.concatenate([[0], instructions["records_access"].cumsum()])
        self._sharing = np.concatenate([[0], (~alone).cumsum()])
        self._own = [own_of(model, smsp) for smsp in range(NUM_SMSPS)]
        self._shared = shared_of(model)
        self._watched: list[Watched] = []
        self._mistakes = 0
        self.marks = np.zeros((NUM_SMSPS, 1, 2), np.int64)

    def follow(self, now: int) -> bool:
        """Choose whose loops are watched, which the cycle loop reports as they recur; False when there is none.

        They are of warps that issued lately: others may stand still until these have left their loops.
        """
        model = self._model
        warps, lately = model.warps, self._issued_lately()
        ahead = np.where(lately, self._ahead(), 0)
        if (ahead <= 0).all() or (warps["status"] == EXITED).any() or self._any(self._accessing, warps["step"][lately]):
            return False
        if self._may_be_apart():
            leaders = {n: n + NUM_SMSPS * int(ahead[n::NUM_SMSPS].argmax()) for n in self._resident()}
            self._watched = [Watched(range(n, n + 1), self._own[n], leader) for n, leader in leaders.items()]
        else:
            section = together([*self._own, self._shared])
            self._watched = [Watched(range(NUM_SMSPS), section, int(ahead.argmax()))]
        for watched in self._watched:
            smsp = watched.leader % NUM_SMSPS
            model.smsps["leader"][smsp], model.smsps["due"][smsp] = watched.leader, 0
            model.smsps["led"][smsp] = sum(1 << each for each in watched.smsps)
            warps["leads"][watched.leader] = 1 << smsp
        self.marks = np.zeros((NUM_SMSPS, MARKS, 2), np.int64)
        self._mistakes = 0
        self._begun = self._places()
        self._shared_then = self._shared_now(now)
        self._turns_then, self._repeats_then = model.turns.copy(), warps["repeat"].copy()
        return True

    def _issued_lately(self) -> NDArray[np.bool_]:
        """Of each warp slot whether its warp has."""
        turns = self._model.turns.T.ravel()  # by warp slot
        lately: NDArray[np.bool_] = (self._model.warps["status"] != EMPTY) & (turns >= turns.max() - self._past)
        return lately

    def _resident(self) -> list[int]:
        """The SMSPs that have warps."""
        return self._model.smsps["resident"].nonzero()[0].tolist()

    def _may_be_apart(self) -> bool:
        """Whether each SMSP that has warps is in loops that touch nothing that SMSPs share, and no other does."""
        lately = self._issued_lately()
        looping = lately & (self._ahead() > 0)
        busy = all(looping[smsp::NUM_SMSPS].any() for smsp in self._resident())
        return busy and self._is_quiet() and not self._any_shared(self._model.warps["step"][lately])

    def goes_on(self) -> bool:
        """Whether all warps are still in their loops, and the leaders have gone on since the last time."""
        if self._mistakes >= MOST_MISTAKES or (self._is_whole and self._may_be_apart()):
            return False
        leaders = [watched.leader for watched in self._watched]
        repeats = self._model.warps["repeat"].copy()
        gone_on = (repeats[leaders] > self._repeats_then[leaders]).all()
        self._repeats_then = repeats
        return bool(gone_on) and self._are_where_they_were()

    def _are_where_they_were(self) -> bool:
        """Whether every warp is where it was as they began to be watched, but for its repeats."""
        return all((now == then).all() for now, then in zip(self._places(), self._begun, strict=True))

    @property
    def _is_whole(self) -> bool:
        """Whether the SMSPs are watched together."""
        return len(self._watched[0].smsps) > 1

    def end(self) -> None:
        """Nobody is watched any more."""
        self._model.warps["leads"] = 0
        self._watched = []
        self.marks = self.marks[:, :1]

    def look(self, now: int, run: Run) -> int:
        """Look at those that the cycle loop has reported, and skip what repeats; returns the cycles skipped."""
        model = self._model
        recurring = int(model.sm["recurring"][0])
        model.sm["recurring"] = 0
        for watched in self._watched:
            if recurring >> watched.leader % NUM_SMSPS & 1:
                self._compare(watched)
        if not all(watched.period for watched in self._watched) or not self._has_stayed(now):
            return 0
        return self._skip_together(self._watched[0], now) if self._is_whole else self._skip(now, run)

    def _compare(self, watched: Watched) -> None:
        """The leader has just started its loop again: its SMSP has done all there is up to the next cycle."""
        model, smsp = self._model, watched.leader % NUM_SMSPS
        before, after = watched.before, self._snapshot(watched, int(model.smsps["issued_at"][smsp]) + 1)
        if before is None:
            watched.before = after
            return
        watched.before, model.smsps["due"][smsp] = None, 0
        if before.state != after.state:
            self._mistakes += 1
            return
        model.warps["leads"][watched.leader] = 0
        watched.period = Period(
            after.now - before.now,
            after.repeats - before.repeats,
            after.warp_cycles - before.warp_cycles,
            after.events - before.events,
        )

    def _snapshot(self, watched: Watched, now: int) -> Snapshot:
        """SMSPs now; what their warps have waited for until now is booked first."""
        model = self._model
        for smsp in watched.smsps:
            settle(model, smsp, now)
            turn_to_last(model, smsp)
        return Snapshot(
            now,
            watched.section.snapshot(now, self._past),
            model.warps["repeat"][watched.warps].copy(),
            model.warp_cycles[watched.smsps].copy(),
            model.sm["events"].copy(),
        )

    def _ahead(self) -> NDArray[np.int64]:
        """Of each warp slot, how often its loop starts again."""
        warps, model = self._model.warps, self._model
        there = warps["status"] != EMPTY
        ahead: NDArray[np.int64] = np.where(there, model.steps["repeats"][warps["step"]], 1)
        return ahead - 1 - np.where(there, warps["repeat"], 0)

    def _any(self, so_far: NDArray[np.int64], steps: NDArray[np.int64]) -> bool:
        """Whether any instruction in the loops of some steps is one of those of which so many lie before each."""
        loops = (self._runs(step) for step in np.unique(steps))
        return any((so_far[runs["start"] + runs["length"]] > so_far[runs["start"]]).any() for runs in loops)

    def _any_shared(self, steps: NDArray[np.int64]) -> bool:
        """Whether the loops of some steps touch what SMSPs share, the convergence unit included."""
        return self._any(self._sharing, steps) or any(self._parts(self._runs(step)) for step in np.unique(steps))

    def _parts(self, loop: np.ndarray) -> bool:
        """Whether a branch in a loop's runs parts the lanes of a warp."""
        before, behind = loop["mask"], np.roll(loop["mask"], -1)
        parts = self._parting[loop["start"] + loop["length"] - 1] & (before != behind) & (behind & ~before == 0)
        return bool(parts.any())

    def _runs(self, step: int) -> np.ndarray:
        """The runs of a step."""
        model = self._model
        return model.runs[model.steps["first_run"][step] : model.steps["end_run"][step]]

    def _lanes(self, warps: slice) -> NDArray[np.int64]:
        """Thread-instructions of a repeat of the loops that some warps are in."""
        loops = (self._runs(step) for step in self._model.warps["step"][warps])
        return np.array([(runs["length"] * runs["lanes"]).sum() for runs in loops], np.int64)

    def _is_quiet(self) -> bool:
        """Nothing is on its way in what the SMSPs share."""
        sm, smsps = self._model.sm[0], self._model.smsps
        queues = smsps["queue_count"][:, np.arange(smsps["queue_count"].shape[1]) != XU_QUEUE]
        is_moving = queues.any() or (smsps["moving_warp"] >= 0).any()
        return not (is_moving or is_l1tex_busy(self._model) or sm["data_count"] or sm["ending_blocks"])

    def _shared_now(self, now: int) -> tuple[bytes, ...]:
        """What the SMSPs share, but for when their queues are served again, and the counters."""
        sm = self._model.sm
        wake, sm["mio_wake"] = sm["mio_wake"].copy(), NEVER
        state = self._shared.snapshot(now, self._past)
        sm["mio_wake"] = wake
        return (*state, sm["events"].tobytes())

    def _places(self) -> tuple[NDArray[np.int64], ...]:
        """Where every warp slot is in the trace, but for its repeats."""
        warps = self._model.warps
        return warps["status"].copy(), warps["trace_warp"].copy(), warps["step"].copy(), warps["access"].copy()

    def _has_stayed(self, now: int) -> bool:
        """Every warp is where it was as they began to be watched, and none has touched what it must not."""
        model = self._model
        if not self._are_where_they_were():
            return False
        on_its_way = any(bool((model.l1[name] > now).any()) for name in ("ready", "sent_until"))
        if on_its_way or model.chip["last_ready"][0] > now:
            return False
        if self._is_whole:
            return self._watched[0].section.may_be_moved(now, self._past)
        issued = (model.turns != self._turns_then).T.ravel()
        return (
            not self._any_shared(model.warps["step"][issued])
            and self._shared_now(now) == self._shared_then
            and all(section.may_be_moved(now, self._past) for section in (*self._own, self._shared))
        )

    def _periods(self, watched: Watched) -> int:
        """How many lie ahead before a loop ends."""
        assert watched.period
        repeats = watched.period.repeats
        moving = repeats > 0
        return int((self._ahead()[watched.warps][moving] // repeats[moving]).min())

    def _account(self, watched: Watched, periods: int) -> int:
        """Count what SMSPs do in so many periods, and move what they have of their own on; returns the cycles."""
        model, period = self._model, watched.period
        assert period
        model.warps["repeat"][watched.warps] += periods * period.repeats
        model.warp_cycles[watched.smsps] += periods * period.warp_cycles
        model.sm["thread_instructions"] += periods * int((period.repeats * self._lanes(watched.warps)).sum())
        model.sm["events"] += periods * period.events
        watched.section.move(periods * period.cycles)
        return periods * period.cycles

    def _skip_together(self, watched: Watched, now: int) -> int:
        for smsp in watched.smsps:
            settle(self._model, smsp, now)
        return self._account(watched, self._periods(watched))

    def _skip(self, now: int, run: Run) -> int:
        """Take each SMSP on by its periods, and alone to the time up to which no loop of any ends."""
        model = self._model
        ahead = min(self._periods(each) * each.period.cycles for each in self._watched if each.period)
        if ahead == 0:
            return 0
        for watched in self._watched:
            assert watched.period
            settle(model, watched.smsps[0], now)
            at = now + self._account(watched, ahead // watched.period.cycles)
            self._run_alone(watched.smsps[0], at, now + ahead, run)
        self._shared.move(ahead)
        model.sm["mio_wake"] = now + ahead
        return ahead

    def _run_alone(self, smsp: int, start: int, end: int, run: Run) -> None:
        """Simulate one SMSP while the others stand still."""
        model = self._model
        others = np.arange(NUM_SMSPS) != smsp
        kept = {name: model.smsps[name][others] for name in ("wake", "queue_count")}
        model.smsps["wake"][others], model.smsps["queue_count"][others] = NEVER, 0
        model.sm["mio_wake"] = start
        run(start, end)
        for name, values in kept.items():
            model.smsps[name][others] = values
