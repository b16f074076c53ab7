"""The MIO: the queues of each SMSP in front of the units that its dispatch port does not feed, and those units."""

from smsim.code import ADU, LG, XU
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import wake
from smsim.rules.frontend import LDC_CACHE, constant_ready
from smsim.rules.gates import open_gate
from smsim.rules.memory import through_l1tex
from smsim.rules.rule import entry, rule
from smsim.rules.scoreboard import raise_barriers, release_barrier
from smsim.rules.shared import arrives_at, enter_path, through_shared
from smsim.state import ADU_QUEUE, LG_GATE, MIO_QUEUE, NEVER, NUM_SMSPS, XU_QUEUE

MEMBAR = int(Reason.MEMBAR)
LONG_SCOREBOARD = int(Reason.LONG_SCOREBOARD)
SHORT_SCOREBOARD = int(Reason.SHORT_SCOREBOARD)


@rule
def enqueue(m: Model, w: int, now: int) -> None:
    """The warp's instruction goes to its queue; the caller has seen that there is room."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    queue = code["queue"]
    smsp = m.smsps[warp["smsp"]]
    place = (smsp["queue_head"][queue] + smsp["queue_count"][queue]) % m.params[0]["queue_depth"][queue]
    smsp["queue_count"][queue] += 1
    entry = m.queues[warp["smsp"], queue, place]
    entry["warp"] = w
    entry["pc"] = warp["pc"]
    entry["access"] = warp["access"] if code["records_access"] else -1
    entry["ready"] = now + code["queue_latency"]
    warp["queued"] += 1
    if code["is_store"]:
        warp["pending_stores"] += 1
    reason = LONG_SCOREBOARD if code["unit"] == LG else SHORT_SCOREBOARD
    raise_barriers(m, w, warp["pc"], reason, reason)
    m.sm[0]["mio_wake"] = min(m.sm[0]["mio_wake"], entry["ready"])


@entry
def serve(m: Model, now: int) -> None:
    """One cycle of the MIO: every queue's head leaves if its unit takes it; sets when to look again."""
    wake_at = NEVER
    first = m.sm[0]["arbiter"]
    for i in range(NUM_SMSPS):
        smsp = (first + i) % NUM_SMSPS
        wake_at = min(wake_at, serve_path(m, smsp, now))
        wake_at = min(wake_at, serve_queue(m, smsp, XU_QUEUE, now))
        wake_at = min(wake_at, serve_queue(m, smsp, ADU_QUEUE, now))
    m.sm[0]["mio_wake"] = wake_at


@rule
def serve_path(m: Model, smsp: int, now: int) -> int:
    """Let go what may take the SMSP's path, on which registers are read, in order; returns when something next may."""
    while True:
        arrival = arrives_at(m, smsp)
        if arrival < NEVER:
            if arrival > now:
                return arrival
            arrive(m, smsp, now)
        queue, at = next_on_path(m, smsp, now)
        if at > now:
            return at
        entry = m.queues[smsp, queue, m.smsps[smsp]["queue_head"][queue]]
        w, pc, access = entry["warp"], entry["pc"], entry["access"]
        if queue == ADU_QUEUE:
            m.smsps[smsp]["operand_path_free"] = now + m.instructions[pc]["path"]
            leave(m, smsp, w, pc, now)
        else:
            read(m, w, pc, now)
            enter_path(m, smsp, w, pc, access, now)
        remove_head(m, smsp, queue, now)


@rule
def next_on_path(m: Model, smsp: int, now: int) -> tuple[int, int]:
    """The queue whose head takes the path next, and when: NEVER if there is none.

    The heads go in their order, the MIO's first of two at a time; the ADU's only when its unit takes it.
    """
    state = m.smsps[smsp]
    path_free = int(state["operand_path_free"])
    at = NEVER
    ready = NEVER
    if state["queue_count"][MIO_QUEUE] > 0:
        head = m.queues[smsp, MIO_QUEUE, state["queue_head"][MIO_QUEUE]]
        ready = head["ready"]
        at = max(ready, path_free)
    if state["queue_count"][ADU_QUEUE] > 0:
        head = m.queues[smsp, ADU_QUEUE, state["queue_head"][ADU_QUEUE]]
        if m.instructions[head["pc"]]["path"] > 0:
            adu_at = max(head["ready"], path_free, unit_free(m, smsp, head["pc"]))
            if adu_at < at or (adu_at == at and head["ready"] < ready):
                return ADU_QUEUE, adu_at
    return MIO_QUEUE, at


@rule
def serve_queue(m: Model, smsp: int, queue: int, now: int) -> int:
    """Let go what may leave a queue now without the path; returns when its next head may."""
    state = m.smsps[smsp]
    wake_at = NEVER
    while state["queue_count"][queue] > 0:
        entry = m.queues[smsp, queue, state["queue_head"][queue]]
        if queue == ADU_QUEUE and m.instructions[entry["pc"]]["path"] > 0:
            return wake_at
        at = max(entry["ready"], unit_free(m, smsp, entry["pc"]))
        if at > now:
            return at
        leave(m, smsp, entry["warp"], entry["pc"], now)
        remove_head(m, smsp, queue, now)
        wake_at = now + 1  # a head that takes the path has yet to be seen there
    return wake_at


@rule
def remove_head(m: Model, smsp: int, queue: int, now: int) -> None:
    """The queue's head has left: its place is free."""
    state = m.smsps[smsp]
    state["queue_head"][queue] = (state["queue_head"][queue] + 1) % m.params[0]["queue_depth"][queue]
    state["queue_count"][queue] -= 1
    open_gate(m, smsp, queue, now)
    if queue == MIO_QUEUE:
        open_gate(m, smsp, LG_GATE, now)


@rule
def unit_free(m: Model, smsp: int, pc: int) -> int:
    """When the XU or the ADU takes its next instruction."""
    if m.instructions[pc]["unit"] == XU:
        return m.smsps[smsp]["pipe_free"][m.params[0]["xu"]]
    return max(m.smsps[smsp]["adu_path_free"], m.sm[0]["adu_free"])


@rule
def since_issue(m: Model, pc: int, now: int) -> int:
    """What leaves its queue now, had it not waited there, was issued then: the table's latencies count from there."""
    return now - m.instructions[pc]["queue_latency"]


@rule
def read(m: Model, w: int, pc: int, now: int) -> None:
    """The instruction leaves its queue now; when it has read its sources follows from that."""
    code = m.instructions[pc]
    release_barrier(m, w, code["read_barrier"], since_issue(m, pc, now) + code["read_latency"])
    wake(m, w, now)


@rule
def leave(m: Model, smsp: int, w: int, pc: int, now: int) -> None:
    """A queued instruction goes to the XU or the ADU: from here on all its times are known."""
    code = m.instructions[pc]
    read(m, w, pc, now)
    done = since_issue(m, pc, now) + code["latency"]
    if code["unit"] == XU:
        m.smsps[smsp]["pipe_free"][m.params[0]["xu"]] = now + code["interval"]
    else:
        done += through_adu(m, smsp, pc, now)
    finish(m, w, pc, done, now)


@rule
def arrive(m: Model, smsp: int, now: int) -> None:
    """The instruction on the path has reached the LSU: from here on all its times are known."""
    way = m.smsps[smsp]
    w, pc = way["moving_warp"], way["moving_pc"]
    way["moving_warp"] = -1
    if m.instructions[pc]["unit"] == LG:
        started = now - m.instructions[pc]["path"]
        done = through_l1tex(m, smsp, w, pc, way["moving_access"], since_issue(m, pc, started), started)
    else:
        done = through_shared(m, smsp, pc, way["moving_access"], now)
    finish(m, w, pc, done, now)


@rule
def finish(m: Model, w: int, pc: int, done: int, now: int) -> None:
    """The instruction's result comes at ``done``; it holds the warp's slot no more."""
    warp = m.warps[w]
    code = m.instructions[pc]
    warp["queued"] -= 1
    if code["is_store"]:
        warp["pending_stores"] -= 1
        if warp["pending_stores"] == 0 and warp["stopped_by"] == MEMBAR and warp["stopped_until"] == NEVER:
            warp["stopped_until"] = warp["stores_until"]
    if code["unit"] != ADU:
        # In order, which lets the compiler set a barrier on the last of several only.
        done = max(done, warp["returned"][code["gate"]] + 1)
        warp["returned"][code["gate"]] = done
    release_barrier(m, w, code["write_barrier"], done)
    wake(m, w, now)


@rule
def through_adu(m: Model, smsp: int, pc: int, now: int) -> int:
    """Constants by LDC, uniform special registers; returns what a constant that is not there yet costs."""
    code = m.instructions[pc]
    m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    m.sm[0]["adu_free"] = now + code["sm_interval"]
    if code["is_ldc"] and code["constant_line"] >= 0:
        return constant_ready(m, LDC_CACHE, code["constant_line"], now, m.params[0]["ldc_miss"]) - now
    return 0
