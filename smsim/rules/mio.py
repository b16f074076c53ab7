"""The MIO: the queues of each SMSP in front of the units that its dispatch port does not feed, and those units."""

from smsim.code import ADU, LG, XU
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.frontend import LDC_CACHE, constant_ready
from smsim.rules.gates import open_gate
from smsim.rules.l1 import queue_free, take_queue
from smsim.rules.memory import places, through_l1tex, through_shared
from smsim.rules.rule import entry, rule
from smsim.rules.scoreboard import raise_barriers, release_barriers
from smsim.state import LG_QUEUE, NEVER, NUM_QUEUES, NUM_SMSPS

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
    entry["ready"] = now + m.params[0]["queue_latency"][queue]
    warp["queued"] += 1
    if code["is_store"]:
        warp["pending_stores"] += 1
    reason = LONG_SCOREBOARD if queue == LG_QUEUE else SHORT_SCOREBOARD
    raise_barriers(m, w, warp["pc"], reason, reason)
    m.sm[0]["mio_wake"] = min(m.sm[0]["mio_wake"], entry["ready"])


@entry
def serve(m: Model, now: int) -> None:
    """One cycle of the MIO: every queue's head leaves if its unit takes it; sets when to look again."""
    wake_at = NEVER
    first = m.sm[0]["arbiter"]
    for i in range(NUM_SMSPS):
        smsp = (first + i) % NUM_SMSPS
        for queue in range(NUM_QUEUES):
            wake_at = min(wake_at, serve_queue(m, smsp, queue, now))
    m.sm[0]["mio_wake"] = wake_at


@rule
def serve_queue(m: Model, smsp: int, queue: int, now: int) -> int:
    """Let go what may leave a queue now; returns when its next head may."""
    state = m.smsps[smsp]
    while state["queue_count"][queue] > 0:
        head = state["queue_head"][queue]
        entry = m.queues[smsp, queue, head]
        w, pc = entry["warp"], entry["pc"]
        at = max(entry["ready"], unit_free(m, smsp, pc, entry["access"]))
        if at > now:
            return at
        leave(m, smsp, w, pc, entry["access"], now)
        state["queue_head"][queue] = (head + 1) % m.params[0]["queue_depth"][queue]
        state["queue_count"][queue] -= 1
        open_gate(m, smsp, queue, now)
    return NEVER


@rule
def unit_free(m: Model, smsp: int, pc: int, access: int) -> int:
    """When the unit of a queued instruction takes its next one."""
    unit = m.instructions[pc]["unit"]
    if unit == XU:
        return m.smsps[smsp]["pipe_free"][m.params[0]["xu"]]
    if unit == ADU:
        return max(m.smsps[smsp]["adu_path_free"], m.sm[0]["adu_free"])
    free = int(max(m.smsps[smsp]["operand_path_free"], m.sm[0]["lsu_free"]))
    return max(free, queue_free(m, places(m, pc, access)))


@rule
def leave(m: Model, smsp: int, w: int, pc: int, access: int, now: int) -> None:
    """A queued instruction goes to its unit: from here on all its times are known."""
    warp = m.warps[w]
    code = m.instructions[pc]
    # The table's latencies count from issue.
    since_issue = now - m.params[0]["queue_latency"][code["queue"]]
    if code["unit"] == XU:
        m.smsps[smsp]["pipe_free"][m.params[0]["xu"]] = now + code["interval"]
        done = since_issue + code["latency"]
    elif code["unit"] == ADU:
        done = since_issue + code["latency"] + through_adu(m, smsp, pc, now)
    elif code["unit"] == LG:
        done = through_l1tex(m, smsp, w, pc, access, since_issue, now)
    else:
        start = max(now, m.sm[0]["tag_free"])
        take_queue(m, 1, start)
        done = through_shared(m, smsp, pc, access, since_issue, now) + start - now
    warp["queued"] -= 1
    if code["is_store"]:
        warp["pending_stores"] -= 1
        if warp["pending_stores"] == 0 and warp["stopped_by"] == MEMBAR and warp["stopped_until"] == NEVER:
            warp["stopped_until"] = warp["stores_until"]
    # In order within a queue, which lets the compiler set a barrier on the last of several only; but loads that hit L1
    # pass those that miss.
    returned = max(done, warp["returned"][code["queue"]])
    warp["returned"][code["queue"]] = returned
    if code["unit"] != LG:
        done = returned
    release_barriers(m, w, pc, since_issue + code["read_latency"], done, now)


@rule
def through_adu(m: Model, smsp: int, pc: int, now: int) -> int:
    """Constants by LDC, uniform special registers; returns what a constant that is not there yet costs."""
    code = m.instructions[pc]
    m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    m.sm[0]["adu_free"] = now + code["sm_interval"]
    if code["is_ldc"] and code["constant_line"] >= 0:
        return constant_ready(m, LDC_CACHE, code["constant_line"], now, m.params[0]["ldc_miss"]) - now
    return 0
