"""Sections of an SM's state, which repeat each for itself: what one SMSP has of its own, and what the SMSPs share."""

from dataclasses import dataclass

import numpy as np

from smsim.model import Model
from smsim.rules.frontend import WHOLE_SM
from smsim.state import ICC, L0, LDC_CACHE, NEVER, NUM_SMSPS

# The fields that are times, by array.
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
        *("mio_wake", "dispatch_wake", "lsu_free", "half_free", "shared_until", "halved_until", "last_pass"),
        *("places", "beat_at", "beats_from"),
        *("adu_places", "adu_free", "adu_entered", "adu_row", "ldc_from", "ldc_free"),
        *("l1_queue", "overtaken", "tag_free", "slice_free", "load_data_free", "fill_free", "l2_port_free"),
        *("alone_until", "hits_from", "hits_until", "placed", "stored_until", "all_stored_until", "store_port_free"),
        *("dram_until", "atomics", "rid_until", "arriving_until", "held_from", "held_until"),
        *("barrier_free", "convergence_free", "constants_free"),
    ),
    "chip": ("dispatch_free", "last_ready", "dram_read"),
    "servers": ("free", "asked"),
    "queues": ("ready",),
    "store_lines": ("idle",),
    "data_queue": ("ready",),
    "l1_queue": ("issued", "came"),
    "fills": ("there", "until"),
    "blocks": ("answered", "free_from", "served_until"),
}
# What only counts up, the place in a loop, who is watched: no part of the state that has to repeat.
_NO_STATE = {
    "warps": ("repeat", "leads"),
    "smsps": ("thread_instructions",),
    "sm": ("events", "looped", "beats_ahead", "beat_ahead_at"),
}
_SHARED = ("sm", "chip", "servers", "store_lines", "data_queue", "l1_queue", "fills", "blocks")


@dataclass(frozen=True)
class Section:
    """Some of the arrays of a model.

    Attributes:
        records: name and array of those with fields.
        times: arrays of times.
        words: arrays of anything else.
        turns: of each SMSP when its warps issued last: the policies only compare these times.
    """

    records: tuple[tuple[str, np.ndarray], ...]
    times: tuple[np.ndarray, ...]
    words: tuple[np.ndarray, ...]
    turns: tuple[np.ndarray, ...] = ()

    def copy(self) -> "Section":
        """The same, which stays as it is."""
        return Section(
            tuple((name, records.copy()) for name, records in self.records),
            tuple(times.copy() for times in self.times),
            tuple(words.copy() for words in self.words),
            tuple(turns.copy() for turns in self.turns),
        )

    def become(self, other: "Section") -> None:
        """Be as a copy."""
        for (_, mine), (_, theirs) in zip(self.records, other.records, strict=True):
            mine[...] = theirs
        for name in ("times", "words", "turns"):
            for array, copied in zip(getattr(self, name), getattr(other, name), strict=True):
                array[...] = copied

    @property
    def size(self) -> int:
        """Bytes of a copy."""
        arrays = (*(records for _, records in self.records), *self.times, *self.words, *self.turns)
        return sum(array.nbytes for array in arrays)

    def state(self, now: int, past: int) -> tuple[bytes, ...]:
        """All that has to repeat, with times counted from now; those more than ``past`` cycles back count as one."""
        state = [_since(times, now, past) for times in self.times]
        for name, records in self.records:
            for field in sorted(set(records.dtype.names or ()) - set(_NO_STATE.get(name, ()))):
                state.append(_since(records[field], now, past) if field in _TIMES[name] else records[field])
        state += self.words
        state += [turns.argsort() for turns in self.turns]
        return tuple(array.tobytes() for array in state)

    def move(self, cycles: int) -> None:
        """Everything happened, and will happen, so much later."""
        for name, records in self.records:
            for field in _TIMES[name]:
                _move(records[field], cycles)
        for times in (*self.times, *self.turns):
            _move(times, cycles)

    def may_be_moved(self, now: int, past: int) -> bool:
        """No time, but those more than ``past`` cycles back, has a fraction, which would be rounded otherwise."""
        return not any(
            bool((np.mod(records[field], 1) != 0).any())
            for name, records in self.records
            for field in _TIMES[name]
            if records[field].dtype == np.float64 and (records[field] > now - past).any()
        )


def own_of(model: Model, smsp: int) -> Section:
    """What nothing but the SMSP's own instructions change, where these touch nothing that SMSPs share."""
    records = [(name, getattr(model, name)[smsp::NUM_SMSPS]) for name in ("warps", "results")]
    records += [(name, getattr(model, name)[smsp : smsp + 1]) for name in ("gates", "smsps", "queues")]
    return Section(
        tuple(records),
        (model.wakes[smsp], model.lines[smsp, L0], model.constants[smsp]),
        (model.line_places[smsp, L0], model.issue_counts[smsp]),
        (model.turns[smsp],),
    )


def shared_of(model: Model) -> Section:
    """What the SMSPs share, and what lies behind the SM."""
    return Section(
        tuple((name, getattr(model, name)) for name in _SHARED),
        (model.lines[WHOLE_SM, ICC], model.fetched, model.constants[LDC_CACHE]),
        (model.line_places[WHOLE_SM, ICC],),
    )


def together(sections: list[Section]) -> Section:
    """Several sections as one."""
    return Section(
        sum((each.records for each in sections), ()),
        sum((each.times for each in sections), ()),
        sum((each.words for each in sections), ()),
        sum((each.turns for each in sections), ()),
    )


def _since(times: np.ndarray, now: int, past: int) -> np.ndarray:
    """Times counted from now; NEVER, and -1 for never asked, stay what they are."""
    never = (times >= NEVER) | (times < 0)
    return np.where(never, times, np.maximum(times - now, -past) + past)


def _move(times: np.ndarray, cycles: int) -> None:
    times[(times >= 0) & (times < NEVER)] += cycles
