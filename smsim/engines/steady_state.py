"""Steady states: where an SM repeats itself exactly, whole periods are skipped and accounted, as if simulated.

SMSPs stand as they stood some cycles ago when, with every time counted from now, their state is the same, but for the
repeats of the loops that their warps are in. What lies ahead of each warp is the same too until one of these loops
ends, so they must do again what they did, with the same effect on every counter. Times so far back that no rule can
tell them apart count as one.
Where no warp's loop touches what the SMSPs share, each SMSP goes on by itself, one after the other, to a time up to
which no loop ends, and skips what it repeats on the way, with a period of its own. Elsewhere the SM has to repeat as
one. A loop that accesses memory is never skipped: its addresses would have to repeat too.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from smsim.code import BRANCH, FIXED, NONE, XU
from smsim.engines.section import Section, own_of, shared_of, together
from smsim.engines.trajectory import Trajectory
from smsim.model import Model
from smsim.rules.memory import is_l1tex_busy
from smsim.state.sizes import EMPTY, EXITED, NEVER, NUM_SMSPS, XU_QUEUE
from smsim.state.sms import MARKS, WATCH

SHORTEST = 60_000  # cycles ahead for which it is worth while to look for a period: to do so takes some ms
SLICE = 320_000  # cycles, between two looks at whether all is as it was
MOST_MISTAKES = 8  # after so many times that an SMSP on its own has touched what it must not, none goes alone any more

Run = Callable[[int, int, np.ndarray], int]  # simulates from a cycle to before another, with a loop watched


class SteadyState:
    """Looks for periods in a model.

    Args:
        model: between any two cycles.
        run: simulates it.
    """

    def __init__(self, model: Model, run: Run) -> None:
        self._model = model
        self._run = run
        params, instructions = model.params[0], model.instructions
        # No rule adds more than this to a time.
        self._past = sum(int(np.abs(params[name]).max()) for name in params.dtype.names or () if params[name].size)
        self._past += int(instructions["reach"].max() + instructions["read_latency"].max())
        # A branch that parts no lanes has no use for the convergence unit.
        self._parting = (instructions["unit"] == BRANCH) & (instructions["sm_interval"] > 0) & ~instructions["joins"]
        alone = self._parting | (instructions["sm_interval"] == 0)
        alone &= np.isin(instructions["unit"], (NONE, FIXED, XU, BRANCH)) & ~instructions["empties_l1"]
        self._accessing = _so_far(instructions["records_access"])
        self._sharing = _so_far(~alone)
        self._stalls = _so_far(np.maximum(instructions["stall"], 1))
        self._watch = np.zeros(1, WATCH)
        self._known: dict[range, tuple[Trajectory, tuple[bytes, ...]]] = {}
        self._mistakes = 0

    @cached_property
    def _own(self) -> list[Section]:
        return [own_of(self._model, smsp) for smsp in range(NUM_SMSPS)]

    @cached_property
    def _shared(self) -> Section:
        return shared_of(self._model)

    @cached_property
    def _whole(self) -> Section:
        return together([*self._own, self._shared])

    def skip(self, now: int) -> int:
        """Take the SM on, as far as no warp leaves its loop, without what repeats; returns the cycle come to."""
        model = self._model
        lately = self._issued_lately()
        if (model.warps["status"] == EXITED).any() or self._any(self._accessing, model.warps["step"][lately]):
            return now
        horizon = now + self._cycles_at_least()
        if horizon < now + SHORTEST or not self._is_settled(now):
            return now
        if self._mistakes < MOST_MISTAKES and self._may_be_apart(lately):
            return self._go_apart(now, horizon)
        return self._go_together(now, horizon)

    def _issued_lately(self, warps: slice = slice(None)) -> NDArray[np.bool_]:
        """Of each warp slot whether its warp has: others may stand still until these have left their loops."""
        turns = self._model.turns.T.ravel()[warps]  # by warp slot
        lately: NDArray[np.bool_] = (self._model.warps["status"][warps] != EMPTY) & (turns >= turns.max() - self._past)
        return lately

    def _limits(self) -> NDArray[np.int64]:
        """Of each warp slot, the last repeat of its loop, the first being 0."""
        warps, model = self._model.warps, self._model
        there = warps["status"] != EMPTY
        limits: NDArray[np.int64] = np.where(there, model.steps["repeats"][warps["step"]] - 1, warps["repeat"])
        return limits

    def _cycles_at_least(self, of: slice = slice(None)) -> int:
        """Cycles before a warp that issues, or is in a loop, can leave its loop: it obeys its stall counts."""
        warps = self._model.warps[of]
        ahead = self._limits()[of] - warps["repeat"]
        watched = self._issued_lately(of) | (ahead > 0)
        steps, of_warps = np.unique(warps["step"][watched], return_inverse=True)
        cycles = np.array([self._sum(self._stalls, step) for step in steps], np.int64)
        return int((ahead[watched] * cycles[of_warps]).min()) if watched.any() else 0

    def _is_settled(self, now: int) -> bool:
        """Nothing is on its way behind the SM, and no time in use has a fraction, which would be rounded."""
        model = self._model
        on_its_way = bool((model.l1["ready"] > now).any() or (model.l1_ways["sent_until"] > now).any())
        if on_its_way or model.chip["last_ready"][0] > now:
            return False
        return self._whole.may_be_moved(now, self._past)

    def _may_be_apart(self, lately: NDArray[np.bool_]) -> bool:
        """Whether each SMSP that has warps is in loops that touch nothing that SMSPs share, and no other does."""
        busy = all(lately[smsp::NUM_SMSPS].any() for smsp in self._resident())
        return busy and self._is_quiet() and not self._any_shared(self._model.warps["step"][lately])

    def _resident(self) -> list[int]:
        """The SMSPs that have warps."""
        return self._model.smsps["resident"].nonzero()[0].tolist()

    def _is_quiet(self) -> bool:
        """Nothing is on its way in what the SMSPs share."""
        sm, smsps = self._model.sm[0], self._model.smsps
        queues = smsps["queue_count"][:, np.arange(smsps["queue_count"].shape[1]) != XU_QUEUE]
        is_moving = queues.any() or (smsps["moving_warp"] >= 0).any() or sm["dispatch_wake"] < NEVER
        return not (is_moving or is_l1tex_busy(self._model) or sm["data_count"] or sm["ending_blocks"])

    def _go_together(self, now: int, horizon: int) -> int:
        """Take the SM on as one."""
        trajectory = self._trajectory(range(NUM_SMSPS), now)
        begun = self._places()
        at, is_undisturbed = self._search(trajectory, now, horizon, lambda: self._places() == begun)
        if not is_undisturbed or not trajectory.place:
            return at
        end = trajectory.last(self._limits())
        return trajectory.go_to(end)

    def _go_apart(self, now: int, horizon: int) -> int:
        """Take each SMSP on by itself, to a time that all have in common; not at all if one touches what they share."""
        model = self._model
        before, warp_cycles = self._whole.copy(), model.warp_cycles.copy()
        places, shared, turns = self._places(), self._shared_now(), model.turns.copy()

        def stay() -> bool:
            return self._places() == places and self._shared_now() == shared

        def is_undisturbed() -> bool:
            issued = (model.turns != turns).T.ravel()
            return stay() and not self._any_shared(model.warps["step"][issued])

        trajectories, end, later = [self._trajectory(range(n, n + 1), now) for n in self._resident()], now, horizon
        goes_on = True
        while goes_on and later >= end + SHORTEST:
            goes_on = all(
                self._search_alone(each, end, later, is_undisturbed) for each in trajectories if not each.place
            )
            end, later = later, min(self._stays_until(each, later) for each in trajectories) if goes_on else later
        if goes_on:
            end = later if all(trajectory.place for trajectory in trajectories) else end
            for trajectory in trajectories:
                self._go_on(trajectory, end)
            goes_on = stay()
        if goes_on:
            model.sm["mio_wake"] = end
            return end
        self._mistakes += 1
        self._known.clear()
        self._whole.become(before)
        model.warp_cycles[...] = warp_cycles
        return now

    def _stays_until(self, trajectory: Trajectory, now: int) -> int:
        """To when, at least, no warp of an SMSP leaves its loop; where it stands is not known, it stands so now."""
        if trajectory.place:
            return max(now, trajectory.last(self._limits()[trajectory.warps]))
        return now + self._cycles_at_least(trajectory.warps)

    def _search_alone(self, trajectory: Trajectory, now: int, horizon: int, is_undisturbed: Callable[[], bool]) -> bool:
        """The same of one SMSP, while the others stand still; returns whether they are undisturbed."""
        with self._alone(trajectory.smsps[0], now):
            return self._search(trajectory, now, horizon, is_undisturbed)[1]

    def _go_on(self, trajectory: Trajectory, end: int) -> None:
        """Take an SMSP to a time, where it is not there yet."""
        if trajectory.place:
            at = trajectory.go_to(end)
            with self._alone(trajectory.smsps[0], at):
                self._run(at, end, self._watch)

    @contextmanager
    def _alone(self, smsp: int, start: int) -> Iterator[None]:
        """The other SMSPs stand still."""
        model = self._model
        others = np.arange(NUM_SMSPS) != smsp
        kept = {name: model.smsps[name][others] for name in ("wake", "queue_count")}
        model.smsps["wake"][others], model.smsps["queue_count"][others] = NEVER, 0
        model.sm["mio_wake"] = start
        yield
        for name, values in kept.items():
            model.smsps[name][others] = values

    def _trajectory(self, smsps: range, now: int) -> Trajectory:
        """That of SMSPs, as it is known if their warps are still where they were."""
        known = self._known.get(smsps)
        warps = slice(smsps.start, None, NUM_SMSPS if len(smsps) == 1 else 1)
        here, ahead = self._places(warps), self._ahead_lately()
        if known is None or known[1] != here or ahead[known[0].leader] <= 0:
            section = self._own[smsps.start] if len(smsps) == 1 else self._whole
            leader = np.arange(len(ahead))[warps][ahead[warps].argmax()]
            known = self._known[smsps] = Trajectory(self._model, smsps, section, int(leader), self._past), here
        known[0].look_again(now)
        return known[0]

    def _ahead_lately(self) -> NDArray[np.int64]:
        """Of each warp slot how often its loop starts again, 0 if its warp has not issued lately."""
        return np.where(self._issued_lately(), self._limits() - self._model.warps["repeat"], 0)

    def _search(
        self, trajectory: Trajectory, now: int, end: int, is_undisturbed: Callable[[], bool]
    ) -> tuple[int, bool]:
        """Simulate until it is found out where SMSPs stand on their trajectory, to ``end`` at most, or are disturbed.

        Returns the cycle come to, and whether they are undisturbed.
        """
        model, watch, leader = self._model, self._watch[0], trajectory.leader
        others = self._others(trajectory)
        model.warps["leads"][leader] = 1
        watch["leader"], watch["smsps"] = leader, sum(1 << smsp for smsp in trajectory.smsps)
        watch["due"] = max(now, trajectory.due)
        self._mark(trajectory, others)
        slice_end, goes_on = now, True
        while now < end and goes_on and not trajectory.place:
            if now >= slice_end:
                slice_end = min(end, now + SLICE)
            watch["word"] = 0
            now = self._run(now, slice_end, self._watch)
            if watch["word"]:
                now = int(model.smsps["issued_at"][leader % NUM_SMSPS]) + 1
                self._look(trajectory, now, end, others)
            if now >= slice_end or trajectory.place:
                goes_on = is_undisturbed()
        model.warps["leads"] = 0
        return min(now, end), goes_on

    def _look(self, trajectory: Trajectory, now: int, end: int, others: list[Trajectory]) -> None:
        """The loop that is watched has just started again, and the SMSPs may stand as they once stood."""
        watch = self._watch[0]
        word = int(watch["word"])
        if trajectory.recognise(now, end, word, others):
            return
        if watch["due"] < now:
            trajectory.keep(now, word)
            watch["due"] = now + trajectory.spacing
        self._mark(trajectory, others)

    def _mark(self, trajectory: Trajectory, others: list[Trajectory]) -> None:
        """Have the words looked for that the trajectory, and others, know."""
        words = [word for each in (trajectory, *others) for word in each.words()][:MARKS]
        self._watch[0]["known"] = len(words)
        self._watch[0]["marks"][: len(words)] = words

    def _others(self, trajectory: Trajectory) -> list[Trajectory]:
        """Those of other SMSPs in the same loops that repeat themselves: this one may come to do the same."""
        known = {id(each.snapshots): each for each, _ in self._known.values() if each.is_periodic}
        known.pop(id(trajectory.snapshots), None)
        loops = self._loops(trajectory.warps) if known else ()
        return [each for each in known.values() if self._loops(each.warps) == loops]

    def _any(self, so_far: NDArray[np.int64], steps: NDArray[np.int64]) -> bool:
        """Whether any instruction in the loops of some steps is one of those of which so many lie before each."""
        return any(self._sum(so_far, step) > 0 for step in np.unique(steps))

    def _sum(self, so_far: NDArray[np.int64], step: int) -> int:
        """A loop's sum of what amounts to so much before each instruction."""
        runs = self._runs(step)
        return int((so_far[runs["start"] + runs["length"]] - so_far[runs["start"]]).sum())

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

    def _loops(self, warps: slice) -> tuple[bytes, ...]:
        """What the loop of each warp slot executes."""
        slots = self._model.warps[warps]
        return tuple(self._runs(slot["step"]).tobytes() if slot["status"] != EMPTY else b"" for slot in slots)

    def _shared_now(self) -> list[bytes]:
        """What the SMSPs share, but for when their queues are served again, and whether a loop has started again."""
        sm = self._model.sm
        kept = {name: sm[name].copy() for name in ("mio_wake", "looped")}
        for name in kept:
            sm[name] = 0
        arrays = (*(records for _, records in self._shared.records), *self._shared.times, *self._shared.words)
        state = [array.tobytes() for array in arrays]
        for name, value in kept.items():
            sm[name] = value
        return state

    def _places(self, warps: slice = slice(None)) -> tuple[bytes, ...]:
        """Where warp slots are in the trace, but for their repeats."""
        slots = self._model.warps[warps]
        return tuple(slots[name].tobytes() for name in ("status", "trace_warp", "step", "access"))


def _so_far(numbers: np.ndarray) -> NDArray[np.int64]:
    """The sum of all numbers before each, and of all."""
    return np.concatenate([[0], numbers.cumsum()])
