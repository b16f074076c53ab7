"""Fences: MEMBAR and what stands behind it.

A MEMBAR takes its place in the MIO's queue. What the warp does behind one within the GPU waits for a flush: one at a
time, each for all MEMBARs that came while it gathered, behind the stores before them. One within the block goes to the
LSU, as accesses do, and waits there until those of the other SMSPs are through it.
Seen on the H100: microbenchmarks ``fences``, ``flushes`` and ``fenced``.
"""

from smsim.code import LG
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.queues import read, since_issue
from smsim.rules.rule import rule
from smsim.rules.scoreboard import raise_barrier, release_barrier
from smsim.state import FENCE_BARRIER, NUM_SMSPS

MEMBAR = int(Reason.MEMBAR)
# Cycles behind what an SMSP sends to the LSU until fences of the others enter: what goes to L1 or brings data of lanes,
# and what does neither; ``fenced/rounds STG.32+MEMBAR.CTA`` and ``fenced/rounds LDS.32+MEMBAR.CTA`` of two SMSPs.
CLEARS, PLAIN_CLEARS = 7, 4


@rule
def begin_fence(m: Model, w: int, pc: int, now: int) -> None:
    """A MEMBAR or CGAERRBAR issues: the warp's accesses wait for it."""
    raise_barrier(m, w, FENCE_BARRIER, MEMBAR, now)
    if not m.instructions[pc]["flushes"]:
        release_barrier(m, w, FENCE_BARRIER, now + m.instructions[pc]["latency"])


@rule
def note_entry(m: Model, smsp: int, pc: int, now: int) -> None:
    """An SMSP's instruction enters the LSU."""
    code = m.instructions[pc]
    m.smsps[smsp]["clears"] = now + (CLEARS if code["unit"] == LG or code["sends_lanes"] else PLAIN_CLEARS)


@rule
def fence_free(m: Model, smsp: int) -> int:
    """When the fence at the end of an SMSP's path enters the LSU: what the others have sent is through it then.

    Seen on the H100: microbenchmark ``fenced``.
    """
    free = 0
    for other in range(NUM_SMSPS):
        if other != smsp:
            free = max(free, m.smsps[other]["clears"])
    return free


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
