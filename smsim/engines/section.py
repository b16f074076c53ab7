"""Sections of an SM's state, which repeat each for itself: what one SMSP has of its own, and what the SMSPs share."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smsim.model import Model
from smsim.rules.icc import WHOLE_SM
from smsim.state.sizes import GCC_CONSTANTS, ICC, L0, LDC_CACHE, NEVER, NUM_SMSPS

# The fields that are times, by array.
_TIMES = {
    "warps": (
        *("stopped_until", "barrier_until", "resolving_from", "resolving_until", "stall_until", "shown_until"),
        *("fetch_until", "constant_until", "line_until", "asks_at", "asked_there", "branch_met", "lands_at"),
        *("results_until", "since"),
        *("sb_release",),
        *("sent_until", "passing_until", "loading_until", "storing_until", "stored_until", "returned"),
    ),
    "results": ("ready",),
    "gates": ("since", "until", "refused"),
    "smsps": (
        "wake",
        "looked",
        "later",
        "constants_turn",
        "landed",
        "came_to_land",
        "fetching_from",
        "issued_at",
        "pipe_free",
        "stalled_until",
        "frozen_from",
        "frozen_until",
        "fp64_slot",
        "dsetp_slot",
        "latched_until",
        "ports_from",
        "results_from",
        "bank_written_at",
        "xu_next",
        "xu_done",
        "xu_read",
        "operand_path_free",
        "moving_until",
        "adu_path_free",
    ),
    "sm": (
        *("mio_wake", "dispatch_wake", "lsu_free", "half_free", "shared_until", "halved_until"),
        *("half_served", "half_done", "returns_from", "returns_until"),
        *("places", "beat_at", "beats_from"),
        *("adu_places", "adu_free", "adu_entered", "adu_row", "ldc_free", "ldc_places"),
        *("l1_queue", "overtaken", "tag_free", "slice_free", "load_data_free", "fill_free", "l2_port_free"),
        *("row_free", "row_from", "read_at", "read_until", "placed_loads", "placed_turns"),
        *("load_begun", "loads_held_until", "alone_passed", "places_taken", "parts_until", "parts_begun"),
        *("writing_from", "writing_until"),
        *("alone_until", "hits_from", "hits_until", "placed", "bank_held_until", "banks_held_until"),
        *(
            "store_port_free",
            "lines_left",
            "request_free",
            "slice_sent",
            "idle_gone",
            "leaving",
            "slice_freed",
            "slice_placed",
            "places_wanted",
        ),
        *("fence_came", "flush_begins", "paths_free"),
        *(
            "dram_until",
            "atomics",
            "l2_takes",
            "rid_until",
            "arriving_until",
            "held_from",
            "held_until",
        ),
        *("barrier_free", "convergence_free", "constants_free"),
    ),
    "chip": ("dispatch_free", "last_ready", "dram_read"),
    "servers": ("free", "asked"),
    "queues": ("ready",),
    "store_lines": ("idle", "there"),
    "data_queue": ("ready",),
    "l1_queue": ("issued", "came"),
    "fills": ("there", "until"),
    "late_ldcs": ("at", "done", "again", "gone"),
    "blocks": ("answered", "free_from", "served_until"),
}
# Which warp it is, in the trace, on the SM: not what an SMSP does with it.
_IDENTITY = ("trace_warp", "launch_order", "access", "block_slot", "step")
# What only counts up, the place in a loop, who is watched: no part of the state that has to repeat.
_NO_STATE = {
    "warps": ("repeat", "leads"),
    "smsps": ("thread_instructions",),
    "sm": ("events", "looped", "beats_ahead", "beat_ahead_at", "slice_sent"),
}
# Nor of that of one SMSP, when nothing of its is on the way to what they share.
_NO_STATE_OF_ONE = {
    "warps": _IDENTITY,
    "smsps": ("moving_pc", "moving_access", "moving_to_tags", "moving_phase", "moving_certainty"),
}
_WARP_SLOTS = {"smsps": ("last_warp", "landed_warp", "xu_warp"), "queues": ("warp",)}
_SHARED = ("sm", "chip", "servers", "store_lines", "data_queue", "l1_queue", "fills", "late_ldcs", "blocks")


class Columns(NamedTuple):
    """The words of a record that have to repeat, by their numbers: whole times, times with fractions, others."""

    times: NDArray[np.intp]
    fractions: NDArray[np.intp]
    others: NDArray[np.intp]


@dataclass(frozen=True)
class Section:
    """Some of the arrays of a model.

    Attributes:
        records: name and array of those with fields.
        columns: what has to repeat of each of those.
        times: arrays of times.
        words: arrays of anything else.
        turns: of each SMSP when its warps issued last: no rule asks for it, and it does not have to repeat.
        smsp: the SMSP, whose copies may be taken for another's; -1 for all of them.
    """

    records: tuple[tuple[str, np.ndarray], ...]
    columns: tuple[Columns, ...]
    times: tuple[np.ndarray, ...]
    words: tuple[np.ndarray, ...]
    turns: tuple[np.ndarray, ...] = ()
    smsp: int = -1

    def copy(self) -> "Section":
        """The same, which stays as it is, with warps by their numbers among the SMSP's."""
        copied = Section(
            tuple((name, _copied(records)) for name, records in self.records),
            self.columns,
            tuple(times.copy() for times in self.times),
            tuple(words.copy() for words in self.words),
            tuple(turns.copy() for turns in self.turns),
            self.smsp,
        )
        if self.smsp >= 0:
            for name, records in copied.records:
                for field in _WARP_SLOTS.get(name, ()):
                    records[field] //= NUM_SMSPS  # -1 stays
        return copied

    def become(self, other: "Section") -> None:
        """Be as a copy, of this SMSP or another that has to do with its warps what this one has."""
        for (name, mine), (_, theirs) in zip(self.records, other.records, strict=True):
            kept = {field: mine[field].copy() for field in _IDENTITY} if name == "warps" and self.smsp >= 0 else {}
            _words(mine)[...] = _words(theirs)
            for field, values in kept.items():
                mine[field] = values
            for field in _WARP_SLOTS.get(name, ()) if self.smsp >= 0 else ():
                mine[field] = np.where(mine[field] < 0, mine[field], mine[field] * NUM_SMSPS + self.smsp)
        for name in ("times", "words", "turns"):
            for array, copied in zip(getattr(self, name), getattr(other, name), strict=True):
                array[...] = copied

    @property
    def size(self) -> int:
        """Bytes of a copy."""
        arrays = (*(records for _, records in self.records), *self.times, *self.words, *self.turns)
        return sum(array.nbytes for array in arrays)

    def state(self, now: int, past: int) -> tuple[bytes, ...]:
        """All that has to repeat of a copy, with times from now; those more than ``past`` cycles back count as one."""
        state = [_since(times, now, past) for times in self.times]
        for (name, records), columns in zip(self.records, self.columns, strict=True):
            if name == "warps":
                state.append(records["launch_order"].argsort())
            words = _words(records).reshape(-1, records.itemsize // 8)
            state += _since(words[:, columns.times], now, past), words[:, columns.others]
            if len(columns.fractions):
                state.append(_since(words[:, columns.fractions].view(np.float64), now, past))
        state += self.words
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
    warps = slice(smsp, None, NUM_SMSPS)
    records = [("warps", model.warps[warps]), ("results", model.results[warps])]
    records += [(name, getattr(model, name)[smsp : smsp + 1]) for name in ("gates", "smsps", "queues")]
    return Section(
        tuple(records),
        tuple(_columns(name, array.dtype, is_one=True) for name, array in records),
        (
            *(model.wakes[smsp], model.lines[smsp, L0], model.constants[smsp], model.constants_coming[smsp]),
            model.producers[warps],
        ),
        (model.line_places[smsp, L0], model.constant_places[smsp], model.issue_counts[smsp]),
        (model.turns[smsp],),
        smsp,
    )


def shared_of(model: Model) -> Section:
    """What the SMSPs share, and what lies behind the SM."""
    records = [(name, getattr(model, name)) for name in _SHARED]
    return Section(
        tuple(records),
        tuple(_columns(name, array.dtype, is_one=False) for name, array in records),
        (
            *(model.lines[WHOLE_SM, ICC], model.fetched, model.dram_pairs),
            *(model.constants[LDC_CACHE], model.constants[GCC_CONSTANTS], model.constants_coming[LDC_CACHE]),
        ),
        (model.line_places[WHOLE_SM, ICC], model.constant_places[LDC_CACHE], model.copies),
    )


def together(sections: list[Section]) -> Section:
    """Several sections as one."""
    records: tuple[tuple[str, np.ndarray], ...] = sum((each.records for each in sections), ())
    return Section(
        records,
        tuple(_columns(name, array.dtype, is_one=False) for name, array in records),
        sum((each.times for each in sections), ()),
        sum((each.words for each in sections), ()),
        sum((each.turns for each in sections), ()),
    )


@cache
def _columns(name: str, record: np.dtype[np.void], *, is_one: bool) -> Columns:
    """What has to repeat of a record, when one SMSP stands by itself or not."""
    left_out = {*_NO_STATE.get(name, ()), *(_NO_STATE_OF_ONE.get(name, ()) if is_one else ())}
    words: tuple[list[int], ...] = [], [], []
    for field, (kind, offset, *_) in (record.fields or {}).items():
        if field not in left_out:
            number = 2 if field not in _TIMES[name] else int(kind.base == np.float64)
            words[number].extend(range(offset // 8, (offset + kind.itemsize) // 8))
    return Columns(*(np.array(numbers, np.intp) for numbers in words))


def _words(records: np.ndarray) -> NDArray[np.int64]:
    """Records as words, one dimension more: whole records are copied faster than field by field."""
    return records[..., np.newaxis].view(np.int64)


def _copied(records: np.ndarray) -> np.ndarray:
    copied: np.ndarray = _words(records).copy().view(records.dtype)[..., 0]
    return copied


def _since(times: np.ndarray, now: int, past: int) -> np.ndarray:
    """Times counted from now; NEVER, and -1 for never asked, stay what they are."""
    never = (times >= NEVER) | (times < 0)
    return np.where(never, times, np.maximum(times - now, -past) + past)


def _move(times: np.ndarray, cycles: int) -> None:
    times[(times >= 0) & (times < NEVER)] += cycles
