"""Steady states: where an SM repeats itself exactly, whole periods are skipped and accounted, as if simulated.

The SM stands as it stood some cycles ago when, with every time counted from now, its state is the same, but for the
repeats of the loops that its warps are in. What lies ahead of each warp is the same too until one of these loops ends,
so the SM must do again what it did, with the same effect on every counter. Times so far back that no rule can tell them
apart count as one. A period in which memory is accessed is never skipped: its addresses would have to repeat too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smsim.model import Model
from smsim.rules.gates import settle
from smsim.rules.issue_counts import turn_rings
from smsim.state import NEVER

# The fields that are times, by array; the other arrays of times have no fields.
_TIMES = {
    "warps": (
        *("stopped_until", "barrier_until", "resolving_from", "resolving_until", "stall_until", "shown_until"),
        *("fetch_until", "constant_until", "line_until", "results_until", "since", "sb_release"),
        *("stores_until", "sent_until"),
        *("passing_until", "loading_until", "storing_until", "stored_until", "returned"),
    ),
    "results": ("ready",),
    "gates": ("since", "until"),
    "smsps": (
        "wake",
        "looked",
        "later",
        "constants_turn",
        "landed",
        "fetching_from",
        "issued_at",
        "pipe_free",
        "frozen_from",
        "frozen_until",
        "fp64_slot",
        "latched_until",
        "ports_from",
        "results_from",
        "xu_next",
        "xu_done",
        "operand_path_free",
        "moving_until",
        "adu_path_free",
    ),
    "sm": (
        *("mio_wake", "dispatch_wake", "lsu_free", "half_free", "last_pass", "places", "adu_places", "adu_free"),
        "ldc_from",
        "ldc_free",
        *("l1_queue", "overtaken", "tag_free", "slice_free", "load_data_free", "fill_free", "l2_port_free"),
        *("alone_until", "hits_from", "hits_until", "placed", "stored_until", "all_stored_until", "store_port_free"),
        *("atomics", "rid_until", "arriving_until", "held_from", "held_until"),
        *("barrier_free", "convergence_free", "constants_free"),
    ),
    "chip": ("dispatch_free", "last_ready", "dram_read"),
    "servers": ("free", "asked"),
    "queues": ("ready",),
    "store_lines": ("idle",),
    "data_queue": ("ready",),
    "fills": ("there", "until"),
    "blocks": ("answered", "free_from", "served_until"),
}
_ARRAYS_OF_TIMES = ("wakes", "lines", "fetched", "constants")
# What only counts up, and the place in a loop: no part of the state that has to repeat.
_COUNTS = {"warps": ("repeat",), "sm": ("thread_instructions", "events", "loops")}


@dataclass(frozen=True)
class Snapshot:
    """An SM at the start of a cycle: ``state`` is what has to repeat, the rest is what goes on meanwhile.

    ``hint`` is a small part of the state: where it differs, the state does.
    """

    now: int
    hint: bytes
    state: tuple[bytes, ...]
    repeats: NDArray[np.int64]
    accesses: NDArray[np.int64]
    warp_cycles: NDArray[np.int64]
    thread_instructions: int
    events: NDArray[np.int64]


class SteadyState:
    """Watches a model for periods.

    Args:
        model: between any two cycles.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        params, instructions = model.params[0], model.instructions
        # No rule adds more than this to a time.
        self._past = sum(int(np.abs(params[name]).max()) for name in params.dtype.names or () if params[name].size)
        self._past += int(instructions["reach"].max() + instructions["read_latency"].max())

    def follow(self) -> bool:
        """Choose the warp whose loop has most repeats ahead: the cycle loop stops at each; False when none has.

        It is one of those that issued lately: others may stand still until these have left their loops.
        """
        model = self._model
        ahead = self._ahead()
        turns = model.turns.T.ravel()  # by warp slot
        lately = turns >= turns.max() - self._past
        leader = int(np.where(lately, ahead, 0).argmax())
        model.sm["leader"], model.sm["loops"] = leader, 0
        return bool(ahead[leader] > 0)

    def _ahead(self) -> NDArray[np.int64]:
        """Of each warp slot, how often its loop starts again."""
        warps, model = self._model.warps, self._model
        ahead: NDArray[np.int64] = np.where(warps["status"] != 0, model.steps["repeats"][warps["step"]], 1)
        return ahead - 1 - np.where(warps["status"] != 0, warps["repeat"], 0)

    def hint(self, now: int) -> bytes:
        """Where each warp stands, when it is looked at again, how often it issued: compared before a whole state."""
        model = self._model
        turn_rings(model)
        places = model.warps["pc"], model.issue_counts, self._since(model.wakes, now)
        return b"".join(array.tobytes() for array in places)

    def snapshot(self, now: int) -> Snapshot:
        """The SM now; what its warps have waited for until now is booked first."""
        model = self._model
        settle(model, now)
        hint = self.hint(now)
        state = [self._since(getattr(model, name), now).tobytes() for name in _ARRAYS_OF_TIMES]
        for name, times in _TIMES.items():
            records = getattr(model, name)
            for field in sorted(set(records.dtype.names) - set(_COUNTS.get(name, ()))):
                state.append((self._since(records[field], now) if field in times else records[field]).tobytes())
        state.append(model.line_places.tobytes())
        # The policies only compare turns.
        state.append(model.turns.argsort(axis=1).tobytes())
        sm = model.sm[0]
        return Snapshot(
            now,
            hint,
            (*state, hint),
            model.warps["repeat"].copy(),
            model.warps["access"].copy(),
            model.warp_cycles.copy(),
            int(sm["thread_instructions"]),
            sm["events"].copy(),
        )

    def _since(self, times: np.ndarray, now: int) -> np.ndarray:
        """Times counted from now, the distant past as one time; NEVER, and -1 for never asked, stay what they are."""
        never = (times >= NEVER) | (times < 0)
        return np.where(never, times, np.maximum(times - now, -self._past) + self._past)

    def may_repeat(self, before: Snapshot) -> bool:
        """Whether no warp has accessed memory since."""
        return bool((self._model.warps["access"] == before.accesses).all())

    def skip(self, before: Snapshot, after: Snapshot) -> int:
        """Go on by as many periods as the loops have; returns the cycles skipped, 0 when the state is not the same."""
        model = self._model
        if before.state != after.state or not self._may_be_moved(after.now):
            return 0
        repeats = after.repeats - before.repeats
        moving = repeats > 0
        periods = int((self._ahead()[moving] // repeats[moving]).min())
        cycles = periods * (after.now - before.now)
        model.warps["repeat"] += periods * repeats
        model.warp_cycles[...] += periods * (after.warp_cycles - before.warp_cycles)
        model.sm["thread_instructions"] += periods * (after.thread_instructions - before.thread_instructions)
        model.sm["events"] += periods * (after.events - before.events)
        for name in _ARRAYS_OF_TIMES:
            self._move(getattr(model, name), cycles)
        for name, fields in _TIMES.items():
            for field in fields:
                self._move(getattr(model, name)[field], cycles)
        self._move(model.turns, cycles)
        return cycles

    def _may_be_moved(self, now: int) -> bool:
        """No data is on its way into or out of L1, and no time has a fraction, which would be rounded otherwise."""
        model = self._model
        fractions = any(
            bool((np.mod(records[name], 1) != 0).any())
            for records, names in ((getattr(model, name), _TIMES[name]) for name in ("smsps", "sm", "chip", "servers"))
            for name in names
            if records[name].dtype == np.float64 and (records[name] > now - self._past).any()
        )
        on_its_way = any(bool((model.l1[name] > now).any()) for name in ("ready", "sent_until"))
        return not fractions and not on_its_way and not bool(model.chip["last_ready"][0] > now)

    @staticmethod
    def _move(times: np.ndarray, cycles: int) -> None:
        times[(times >= 0) & (times < NEVER)] += cycles
