"""The MIO: per SMSP a queue for special functions and shared memory and one for local and global memory, and the LSU
that the four SMSPs share."""

from smsim.code import LG, XU
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import wake
from smsim.rules.memory import through_l1tex, through_shared
from smsim.rules.rule import rule
from smsim.rules.scoreboard import raise_barriers, release_barriers
from smsim.state import (
    EMPTY,
    L1TEX_RETURN,
    LG_QUEUE,
    MIO_QUEUE,
    MIO_RETURN,
    NEVER,
    NUM_SMSPS,
    XU_RETURN,
)

MIO_THROTTLE = int(Reason.MIO_THROTTLE)
LG_THROTTLE = int(Reason.LG_THROTTLE)


@rule
def depth_of(m: Model, queue: int) -> int:
    """Instructions that a queue holds."""
    return m.params[0]["lg_queue_depth"] if queue == LG_QUEUE else m.params[0]["queue_depth"]


@rule
def enqueue(m: Model, w: int, now: int) -> None:
    """The warp's instruction goes to a queue; the caller has seen that there is room."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    queue = LG_QUEUE if code["unit"] == LG else MIO_QUEUE
    smsp = m.smsps[warp["smsp"]]
    place = (smsp["queue_head"][queue] + smsp["queue_count"][queue]) % depth_of(m, queue)
    smsp["queue_count"][queue] += 1
    entry = m.queues[warp["smsp"], queue, place]
    entry["warp"] = w
    entry["pc"] = warp["pc"]
    entry["access"] = warp["access"] if code["records_access"] else -1
    entry["ready"] = now + m.params[0]["queue_latency"]
    if code["is_store"]:
        warp["pending_stores"] += 1
    raise_barriers(m, w, warp["pc"], queue == LG_QUEUE)
    m.sm[0]["mio_wake"] = min(m.sm[0]["mio_wake"], entry["ready"])


@rule
def serve(m: Model, now: int) -> None:
    """One cycle of the MIO: every queue's head leaves if its unit takes it; sets when to look again."""
    wake_at = NEVER
    first = m.sm[0]["arbiter"]
    for i in range(NUM_SMSPS):
        smsp = (first + i) % NUM_SMSPS
        for queue in range(2):
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
        at = max(entry["ready"], unit_free(m, smsp, pc))
        if at > now:
            return at
        leave(m, smsp, w, pc, entry["access"], now)
        state["queue_head"][queue] = (head + 1) % depth_of(m, queue)
        state["queue_count"][queue] -= 1
        wake_throttled(m, smsp, LG_THROTTLE if queue == LG_QUEUE else MIO_THROTTLE, now)
    return NEVER


@rule
def unit_free(m: Model, smsp: int, pc: int) -> int:
    """When the unit of a queued instruction takes its next one."""
    unit = m.instructions[pc]["unit"]
    if unit == XU:
        return m.smsps[smsp]["pipe_free"][m.params[0]["xu"]]
    free = max(m.smsps[smsp]["address_free"], m.sm[0]["lsu_free"])
    if unit == LG:
        free = max(free, m.sm[0]["tag_free"])
    return free


@rule
def leave(m: Model, smsp: int, w: int, pc: int, access: int, now: int) -> None:
    """A queued instruction goes to its unit: from here on all its times are known."""
    warp = m.warps[w]
    code = m.instructions[pc]
    if code["unit"] == XU:
        m.smsps[smsp]["pipe_free"][m.params[0]["xu"]] = now + code["interval"]
        done, order = now + code["latency"], XU_RETURN
    elif code["unit"] == LG:
        done, order = through_l1tex(m, smsp, w, pc, access, now), L1TEX_RETURN
    else:
        done, order = through_shared(m, smsp, pc, access, now), MIO_RETURN
    if code["is_store"]:
        warp["pending_stores"] -= 1
    # In order within a class, which lets the compiler set a barrier on the last of several only.
    done = max(done, warp["returned"][order])
    warp["returned"][order] = done
    release_barriers(m, w, pc, now + code["read_latency"], done, now)


@rule
def wake_throttled(m: Model, smsp: int, reason: int, now: int) -> None:
    """A place in a queue is free: the warps that wait for one look again."""
    for w in range(smsp, len(m.warps), NUM_SMSPS):
        if m.warps[w]["status"] != EMPTY and m.warps[w]["reason"] == reason:
            wake(m, w, now)
