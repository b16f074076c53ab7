"""Fences: MEMBAR and what stands behind it.

A MEMBAR takes its place in the MIO's queue. What the warp does behind one within the GPU waits for a flush: one at a
time, each for all MEMBARs that came while it gathered, behind the stores before them.
Seen on the H100: microbenchmarks ``fences`` and ``flushes``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.queues import read, since_issue
from smsim.rules.rule import rule
from smsim.rules.scoreboard import raise_barrier, release_barrier
from smsim.state import FENCE_BARRIER

MEMBAR = int(Reason.MEMBAR)


@rule
def begin_fence(m: Model, w: int, pc: int, now: int) -> None:
    """A MEMBAR or CGAERRBAR issues: the warp's accesses wait for it."""
    raise_barrier(m, w, FENCE_BARRIER, MEMBAR, now)
    if not m.instructions[pc]["flushes"]:
        release_barrier(m, w, FENCE_BARRIER, now + m.instructions[pc]["latency"])


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
