"""Block barriers: warps arrive, the last one that is expected releases all."""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.account import wake
from smsim.rules.rule import rule
from smsim.state.sizes import AT_BARRIER, NEVER, NUM_PHASES, RUNNING

SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)
# Cycles behind BAR's issue from which the warp counts as held by it, whatever stall counts still run: ncu's counters of
# 37 kernels with barriers, whose wait is 0 to 1 cycle a barrier off so, and up to 12 otherwise.
HOLDS = 6
OPENS = 9  # cycles behind a barrier's release until the data stage begins with what comes behind it


@rule
def stand(m: Model, w: int, access: int, now: int) -> None:
    """A warp issues a block barrier that it waits at; the barrier hears of it once the ADU has let the arrival pass."""
    warp = m.warps[w]
    warp["status"] = AT_BARRIER
    warp["barrier"] = m.accesses[access]["line"] & 0xFFFF
    warp["barrier_from"] = now + HOLDS
    warp["barrier_until"] = NEVER


@rule
def arrive(m: Model, w: int, pc: int, access: int, released: int, now: int) -> None:
    """A warp's arrival leaves for its block barrier, which is released ``released`` if it is the last one.

    Seen on the H100: microbenchmarks ``barred``; one that counts votes takes longer: ``rare/BAR.RED, B2R``.
    """
    slot = m.warps[w]["block_slot"]
    block = m.blocks[slot]
    barrier = m.accesses[access]["line"] & 0xFFFF
    block["expected"][barrier] = m.accesses[access]["line"] >> 16
    block["arrived"][barrier] += 1
    if release_if_complete(m, slot, barrier, released, now) and not m.instructions[pc]["counts_votes"]:
        m.sm[0]["events"][SHARED_WAVEFRONTS] += 1  # its fence: ncu's counters of kernels


@rule
def release_if_complete(m: Model, slot: int, barrier: int, released: int, now: int) -> bool:
    """Let the warps of a barrier go if all that can still come have come, and look at them in cycle ``now``."""
    block = m.blocks[slot]
    arrived = block["arrived"][barrier]
    if arrived == 0 or arrived < min(block["expected"][barrier], block["running"]):
        return False
    block["arrived"][barrier] = 0
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
            wake(m, w, now)
    return True
