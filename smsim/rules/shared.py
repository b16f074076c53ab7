"""The LSU's data stage: shared memory and shuffles, before which loads through L1 make way.

One queue of the whole SM leads to it, which is served in order. Two instructions are served at a time, each with a
pass, a wavefront, every two cycles; those of one warp one after the other.
Seen on the H100: microbenchmarks ``mio/issues``, ``mio/roles`` and ``atoms``.
"""

import numpy as np

from smsim.code import LG
from smsim.events import Event
from smsim.model import Model
from smsim.rules.l1 import overtaking_from
from smsim.rules.queues import finish
from smsim.rules.rule import rule
from smsim.shared_service import ATOMIC, LOAD, STORE
from smsim.state import NEVER, NUM_SMSPS

SHARED_REQUESTS = int(Event.SHARED_REQUESTS)
SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)


@rule
def has_place(m: Model, pc: int) -> bool:
    """Whether the LSU takes the instruction: most wait in the data stage's queue, but not stores to L1TEX.

    What brings data needs a place for it as well.
    """
    code, p, sm = m.instructions[pc], m.params[0], m.sm[0]
    if code["unit"] == LG and code["is_store"]:
        return True
    if code["sends_data"] and sm["data_stores"] >= p["data_queue_stores"]:
        return False
    return bool(sm["data_count"] < p["data_queue_loads"])


@rule
def enter_data_queue(m: Model, smsp: int, w: int, pc: int, access: int, now: int) -> None:
    """The instruction has come down the path; while the LSU takes its data no other enters."""
    sm, code = m.sm[0], m.instructions[pc]
    sent = m.kinds[m.accesses[access]["kind"]]["least_wavefronts"] if code["sends_data"] else 1
    sm["lsu_free"] = now + code["sm_interval"] + sent - 1
    sm["arbiter"] = (smsp + 1) % NUM_SMSPS
    # Past what waits for its tags it goes, but not past any number.
    start = max(now, overtaking_from(m))
    entry = m.data_queue[sm["data_count"]]
    entry["warp"], entry["pc"], entry["access"], entry["ready"] = w, pc, access, start
    sm["data_count"] += 1
    sm["data_stores"] += code["sends_data"]


@rule
def serve_data_queue(m: Model, now: int) -> int:
    """Begin with the queue's head, and the next, as far as they may; returns when the next may."""
    sm = m.sm[0]
    wake_at = NEVER
    while sm["data_count"] > 0:
        head = m.data_queue[0]
        half = first_half_free(m)
        at = max(head["ready"], sm["half_free"][half], m.warps[head["warp"]]["passing_until"])
        if at > now:
            return min(wake_at, at)
        sm["data_stores"] -= m.instructions[head["pc"]]["sends_data"]
        begin(m, half, head["warp"], head["pc"], head["access"], now)
        sm["data_count"] -= 1
        for place in range(sm["data_count"]):
            m.data_queue[place] = m.data_queue[place + 1]
        wake_at = now + 1  # there is a place again
    return wake_at


@rule
def first_half_free(m: Model) -> int:
    """Of the two that the data stage serves at a time, the one that is done first."""
    free = m.sm[0]["half_free"]
    return 0 if free[0] <= free[1] else 1


@rule
def begin(m: Model, half: int, w: int, pc: int, access: int, now: int) -> None:
    """The data stage begins with an instruction: from here on it is known when its result comes."""
    sm, code, p = m.sm[0], m.instructions[pc], m.params[0]
    passes, extra = 1, 0
    if access >= 0:
        kind = m.kinds[m.accesses[access]["kind"]]
        wavefronts = wavefronts_of(m, pc, kind)
        sm["events"][SHARED_REQUESTS] += 1
        sm["events"][SHARED_WAVEFRONTS] += wavefronts
        passes = wavefronts * code["shared_passes"]
        extra = (passes - code["words"] * code["shared_passes"]) * p["conflict_interval"]
        if code["shared_service"] == LOAD:
            extra -= code["words"] - kind["load_groups"]
    until = now + passes * p["conflict_interval"]
    sm["half_free"][half] = until
    if sm["load_data_free"] > now:
        # Loads make their passes behind.
        sm["load_data_free"] += passes
    m.warps[w]["passing_until"] = until
    # The table's latency counts from the issue, with an empty queue, a free path, no conflict and no groups merged.
    finish(m, w, pc, now - code["path"] - code["queue_latency"] + code["latency"] + extra, now)


@rule
def wavefronts_of(m: Model, pc: int, kind: np.void) -> int:
    """Passes that the access needs, once."""
    service = m.instructions[pc]["shared_service"]
    if service == LOAD:
        return kind["wavefronts"]
    if service == STORE:
        return kind["store_wavefronts"]
    return kind["atomic_wavefronts"] if service == ATOMIC else 1
