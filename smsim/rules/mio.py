"""The MIO: the queues of each SMSP in front of the units that its dispatch port does not feed."""

from smsim.code import LG
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.adu import first_to_adu, next_to_adu
from smsim.rules.bits import around, lowest
from smsim.rules.certain_hits import certainty_of
from smsim.rules.copies import begin_group
from smsim.rules.data_stage import next_fill, serve_fills
from smsim.rules.foresight import foresee_sets
from smsim.rules.heads import head_of
from smsim.rules.ldc import next_late_ldc
from smsim.rules.memory import serve_tags
from smsim.rules.path import coming_in, serve_path, those_come
from smsim.rules.queues import leave, remove_head, serve_late_ldcs, unit_free
from smsim.rules.rule import apart, entry, rule
from smsim.rules.scoreboard import raise_barriers
from smsim.rules.shared import serve_data_queue
from smsim.state.sizes import ADU_QUEUE, MIO_QUEUE, NEVER, NUM_SMSPS, XU_QUEUE

LONG_SCOREBOARD = int(Reason.LONG_SCOREBOARD)
SHORT_SCOREBOARD = int(Reason.SHORT_SCOREBOARD)


@rule
def enqueue(m: Model, w: int, pc: int, now: int) -> None:
    """The warp's instruction goes to its queue as ``pc``; the caller has seen that there is room."""
    warp = m.warps[w]
    code = m.instructions[pc]
    queue = code["queue"]
    smsp = m.smsps[w % NUM_SMSPS]
    place = around(smsp["queue_head"][queue] + smsp["queue_count"][queue], m.params[0]["queue_depth"][queue])
    smsp["queue_count"][queue] += 1
    smsp["lg_count"] += code["is_lg"]
    entry = m.queues[w % NUM_SMSPS, queue, place]
    entry["warp"] = w
    entry["pc"] = pc
    entry["access"] = warp["access"] if code["records_access"] and warp["mask"] != 0 else -1
    entry["ready"] = now + code["queue_latency"]
    entry["phase"] = warp["phase"]
    warp["queued"] += 1
    if code["is_copy"]:
        m.copies[w]["issued"] += 1
    elif code["ends_group"]:
        begin_group(m, w, pc, now)
    if code["unit"] == LG:
        foresee_sets(m, w, entry["access"])
        entry["certainty"] = certainty_of(m, w, pc, entry["access"])
        m.sm[0]["l1tex_count"] += 1
    reason = LONG_SCOREBOARD if m.instructions[warp["pc"]]["unit"] == LG else SHORT_SCOREBOARD
    raise_barriers(m, w, warp["pc"], reason, reason, now)
    m.sm[0]["mio_wake"] = min(m.sm[0]["mio_wake"], entry["ready"])


@entry
def serve(m: Model, now: int) -> None:
    """One cycle of the MIO: every queue's head leaves if its unit takes it; sets when to look again."""
    serve_answers(m, now)
    serve_data(m, now)
    if m.sm[0]["late_ldcs"] > 0:
        serve_late_ldcs(m, now)
    wake_at, enters, looks = NEVER, -1, -1
    come = those_come(m, now)
    if come != 0:
        enters, looks = coming_in(m, come, now)
    to_adu = first_to_adu(m, now)
    first = m.sm[0]["mio_first"]
    busy = those_busy(m, first)
    while busy != 0:
        smsp = (first + lowest(busy)) % NUM_SMSPS
        busy &= busy - 1
        wake_at = min(wake_at, serve_path(m, smsp, smsp == enters, smsp == looks, now))
        wake_at = min(wake_at, serve_queue(m, smsp, XU_QUEUE, now))
        if smsp == to_adu:
            wake_at = min(wake_at, serve_queue(m, smsp, ADU_QUEUE, now))
    wake_at = min(wake_at, next_to_adu(m, to_adu, now), serve_data(m, now))
    m.sm[0]["mio_wake"] = min(wake_at, serve_answers(m, now), next_late_ldc(m))


@rule
def those_busy(m: Model, first: int) -> int:
    """The SMSPs, from the first on, that have an instruction in their queues or on their path, a bit mask."""
    busy = 0
    for i in range(NUM_SMSPS):
        state = m.smsps[(first + i) % NUM_SMSPS]
        count = state["queue_count"]
        busy |= ((state["moving_warp"] >= 0) | (count[XU_QUEUE] + count[MIO_QUEUE] + count[ADU_QUEUE] > 0)) << i
    return busy


@rule
def serve_answers(m: Model, now: int) -> int:
    """Let what waits for L2, if anything does, go on; returns when the next may."""
    at = next_fill(m)
    return at if at > now else serve_fills(m, now)


@rule
def serve_data(m: Model, now: int) -> int:
    """Let what waits for L1's tag stage or the data stage, if anything does, go on; returns when the next may."""
    return serve_stages(m, now) if m.sm[0]["l1_waiting"] + m.sm[0]["data_count"] > 0 else NEVER


@apart
def serve_stages(m: Model, now: int) -> int:
    """Let go on what may in the data stage and in L1's tag stage; returns when something next may."""
    wake_at = NEVER
    while True:
        waiting = m.sm[0]["l1_waiting"]
        soonest = min(serve_data_queue(m, now), serve_tags(m, now))
        if waiting == m.sm[0]["l1_waiting"]:
            return min(wake_at, soonest)
        wake_at = now + 1  # there are places in front of L1 again


@rule
def serve_queue(m: Model, smsp: int, queue: int, now: int) -> int:
    """Let go what may leave a queue now without the path; returns when its next head may."""
    state = m.smsps[smsp]
    wake_at = NEVER
    while state["queue_count"][queue] > 0:
        entry = m.queues[head_of(m, smsp, queue)]
        if queue == ADU_QUEUE and m.instructions[entry["pc"]]["path"] > 0:
            return wake_at
        at = max(entry["ready"], unit_free(m, smsp, entry["pc"], now))
        if at > now:
            return at
        leave(m, smsp, entry["warp"], entry["pc"], entry["access"], now)
        remove_head(m, smsp, queue, now)
        wake_at = now + 1  # a head that takes the path has yet to be seen there
    return wake_at
