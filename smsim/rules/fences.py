"""Fences: MEMBAR and what stands behind it.

A MEMBAR takes its place in the MIO's queue. What the warp does behind one within the GPU waits for a flush: one at a
time, each for all MEMBARs that came while it gathered, behind the stores before them. One within the block leaves its
SMSP's path to the LSU as those of the other SMSPs are empty, or together with what waits behind it there.
Seen on the H100: microbenchmarks ``fences``, ``flushes``, ``fenced`` and ``passed``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.heads import head_of
from smsim.rules.queues import read, since_issue
from smsim.rules.rule import rule
from smsim.rules.scoreboard import raise_barrier, release_barrier
from smsim.state.sizes import FENCE_BARRIER, MIO_QUEUE, NUM_SMSPS

MEMBAR = int(Reason.MEMBAR)
# Cycles until accesses of the warp go behind a fence within the block: ``passed/LDS.32+MEMBAR.CTA+LDG.32``.
BLOCK_LATENCY = 4


@rule
def begin_fence(m: Model, w: int, pc: int, now: int) -> None:
    """A MEMBAR or CGAERRBAR issues: the warp's accesses wait for it."""
    code = m.instructions[pc]
    raise_barrier(m, w, FENCE_BARRIER, MEMBAR, now)
    if not code["flushes"]:
        release_barrier(m, w, FENCE_BARRIER, now + (BLOCK_LATENCY if code["fences_block"] else code["latency"]))


@rule
def may_take_path(m: Model, smsp: int, now: int) -> bool:
    """Whether an SMSP may put an instruction on its path: another's fence within the block may keep it from that."""
    sm = m.sm[0]
    return (sm["path_holder"] < 0 or sm["path_holder"] == smsp) and sm["paths_free"] <= now


@rule
def leave_path(m: Model, smsp: int, now: int) -> bool:
    """Whether the fence within the block at the end of an SMSP's path leaves it now.

    It waits until the paths of the others are empty, and lets none of them begin meanwhile. Where the SMSP's next has
    waited for its path the fence goes at once, and the others wait until that is in the LSU, too.
    """
    sm = m.sm[0]
    if sm["path_holder"] < 0:
        sm["path_holder"] = smsp
        if is_followed(m, smsp, now):
            return True
    elif sm["path_holder"] != smsp:
        return False
    for other in range(NUM_SMSPS):
        if other != smsp and is_on_way(m, other, now):
            return False
    let_others(m, smsp, now)
    return True


@rule
def is_followed(m: Model, smsp: int, now: int) -> bool:
    """Whether something but another fence has waited in the MIO's queue of an SMSP before now."""
    if m.smsps[smsp]["queue_count"][MIO_QUEUE] == 0:
        return False
    entry = m.queues[head_of(m, smsp, MIO_QUEUE)]
    return entry["ready"] < now and not m.instructions[entry["pc"]]["fences_block"]


@rule
def is_on_way(m: Model, smsp: int, now: int) -> bool:
    """Whether an SMSP has an instruction on its path, other than a fence within the block that is at its end."""
    way = m.smsps[smsp]
    is_at_end = way["moving_until"] <= now and m.instructions[way["moving_pc"]]["fences_block"]
    return bool(way["moving_warp"] >= 0 and not is_at_end)


@rule
def let_others(m: Model, smsp: int, now: int) -> None:
    """If an SMSP's fence within the block keeps the others from their paths, it does so no more."""
    sm = m.sm[0]
    if sm["path_holder"] == smsp:
        sm["path_holder"], sm["paths_free"] = -1, now + 1


@rule
def pass_fence(m: Model, w: int, pc: int, now: int) -> None:
    """A MEMBAR comes to the end of its queue."""
    code = m.instructions[pc]
    m.warps[w]["queued"] -= 1
    came = since_issue(m, pc, now)
    release_barrier(m, w, code["write_barrier"], came + code["latency"])
    if code["flushes"]:
        release_barrier(m, w, FENCE_BARRIER, flushed(m, came, code["sm_interval"]) + code["latency"])
    read(m, w, pc, now)


@rule
def flushed(m: Model, came: int, interval: int) -> int:
    """When the flush of a MEMBAR that came now begins to gather; it begins when the stores before have left.

    The SM's MEMBARs come so many cycles apart.
    """
    p, sm = m.params[0], m.sm[0]
    came = max(came, sm["fence_came"] + interval)
    sm["fence_came"] = came
    if came > sm["flush_begins"]:
        left = max(int(sm["store_port_free"]), int(sm["l2_takes"]))
        sm["flush_begins"] = max(came + p["flush_gathers"], left, sm["flush_begins"] + p["flush_interval"])
    return int(sm["flush_begins"]) - p["flush_gathers"]
