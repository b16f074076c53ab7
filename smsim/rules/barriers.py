"""Block barriers: warps arrive, the last one that is expected releases all."""

from smsim.model import Model
from smsim.rules.account import wake
from smsim.rules.rule import rule
from smsim.state import AT_BARRIER, NEVER, NUM_PHASES, RUNNING

# Cycles behind BAR's issue from which the warp counts as held by it, whatever stall counts still run: ncu's counters of
# 37 kernels with barriers, whose wait is 0 to 1 cycle a barrier off so, and up to 12 otherwise.
HOLDS = 6
OPENS = 9  # cycles behind a barrier's release until the data stage begins with what comes behind it


@rule
def arrive(m: Model, w: int, access: int, waits: bool, latency: int, now: int) -> None:
    """A warp reaches a block barrier; the last one that is expected releases all, ``latency`` cycles later.

    One that counts votes takes longer: microbenchmark ``rare/BAR.RED, B2R``.
    """
    warp = m.warps[w]
    block = m.blocks[warp["block_slot"]]
    barrier = m.accesses[access]["line"] & 0xFFFF
    block["expected"][barrier] = m.accesses[access]["line"] >> 16
    block["arrived"][barrier] += 1
    sm = m.sm[0]
    sm["barrier_free"] = max(now, sm["barrier_free"]) + m.params[0]["arrival_interval"]
    if waits:
        warp["status"] = AT_BARRIER
        warp["barrier"] = barrier
        warp["barrier_from"] = now + HOLDS
        warp["barrier_until"] = NEVER
    release_if_complete(m, warp["block_slot"], barrier, latency, now)


@rule
def release_if_complete(m: Model, slot: int, barrier: int, latency: int, now: int) -> None:
    """Let the warps of a barrier go when all that can still come have come."""
    block = m.blocks[slot]
    arrived = block["arrived"][barrier]
    if arrived == 0 or arrived < min(block["expected"][barrier], block["running"]):
        return
    block["arrived"][barrier] = 0
    released = max(now, m.sm[0]["barrier_free"] - m.params[0]["arrival_interval"]) + latency
    block["served_until"][block["phase"]] = max(block["served_until"][block["phase"]], released + OPENS)
    block["phase"] = (block["phase"] + 1) % NUM_PHASES
    for w in range(len(m.warps)):
        warp = m.warps[w]
        if warp["block_slot"] != slot:
            continue
        warp["phase"] = block["phase"]
        if warp["status"] == AT_BARRIER and warp["barrier"] == barrier:
            warp["status"] = RUNNING
            warp["barrier_until"] = released
            wake(m, w, now + 1)
