"""The six scoreboard barriers of a warp: raised at issue, released when a queued instruction's times are known."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import wake
from smsim.rules.groups import pushed_until
from smsim.rules.rule import rule
from smsim.state.sizes import NEVER, NUM_BARRIERS, NUM_SCOREBOARDS

LONG_SCOREBOARD = int(Reason.LONG_SCOREBOARD)


@rule
def raise_barriers(m: Model, w: int, pc: int, read_reason: int, write_reason: int, now: int) -> None:
    """The instruction at ``pc`` has issued: its barriers count one more producer; who waits on them has a reason."""
    code = m.instructions[pc]
    if code["write_barrier"] < NUM_BARRIERS:
        raise_barrier(m, w, code["write_barrier"], write_reason, now)
    if code["read_barrier"] < NUM_BARRIERS:
        raise_barrier(m, w, code["read_barrier"], read_reason, now)


@rule
def raise_barrier(m: Model, w: int, barrier: int, reason: int, now: int) -> None:
    """One more producer on a barrier; who waits on it does so for ``reason``.

    Once local or global memory is among the producers, the wait is long until the barrier is at zero again. Seen in
    warp samples: ``random_memory_034``, a load and an F2I on one barrier.
    """
    warp = m.warps[w]
    is_raised = warp["sb_pending"][barrier] > 0 or warp["sb_release"][barrier] > now
    if not is_raised:
        warp["sb_stored"][barrier] = NEVER
    warp["sb_pending"][barrier] += 1
    if m.params[0]["barrier_places"] > 0:
        take_place(m, w, barrier, now)
    if not (is_raised and warp["sb_reason"][barrier] == LONG_SCOREBOARD):
        warp["sb_reason"][barrier] = reason


@rule
def note_stored(m: Model, w: int, barrier: int) -> None:
    """A load has asked L2 or DRAM for what the barrier waits for: stores that go first, from now on, make it later."""
    warp, sm = m.warps[w], m.sm[0]
    if sm["awaits_dram"]:
        warp["sb_stored"][barrier], warp["sb_crosses"][barrier] = m.chip[0]["stored"], 0
    elif sm["crosses"] > 0:
        warp["sb_stored"][barrier], warp["sb_crosses"][barrier] = pushed_until(m, sm["crosses"]), sm["crosses"]


@rule
def await_stores(m: Model, w: int, barrier: int) -> None:
    """What was to come from L2 or DRAM when the barrier's release time was set is later by stores that went first."""
    warp = m.warps[w]
    crosses = warp["sb_crosses"][barrier]
    stored = pushed_until(m, crosses) if crosses > 0 else m.chip[0]["stored"]
    later = int(stored - warp["sb_stored"][barrier])
    if later > 0:
        warp["sb_release"][barrier] += later
        warp["sb_stored"][barrier] += later
        m.sm[0]["dram_until"] = max(m.sm[0]["dram_until"], warp["sb_release"][barrier])


@rule
def release_barriers(m: Model, w: int, pc: int, read_at: int, write_at: int, now: int) -> None:
    """The times at which the instruction at ``pc`` has read its sources and written its results are known."""
    code = m.instructions[pc]
    release_barrier(m, w, code["read_barrier"], read_at)
    release_barrier(m, w, code["write_barrier"], write_at)
    wake(m, w, now)


@rule
def release_barrier(m: Model, w: int, barrier: int, at: int) -> None:
    """One producer fewer on a barrier, from ``at`` on."""
    if barrier < NUM_SCOREBOARDS:
        warp = m.warps[w]
        warp["sb_pending"][barrier] -= 1
        warp["sb_release"][barrier] = max(warp["sb_release"][barrier], at)
        if m.params[0]["barrier_places"] > 0:
            set_place(m, w, barrier, at)
        if warp["sb_stored"][barrier] != NEVER:
            m.sm[0]["dram_until"] = max(m.sm[0]["dram_until"], at)


@rule
def take_place(m: Model, w: int, barrier: int, now: int) -> None:
    """A producer takes one of the places of those that the barrier counts, until nobody knows when."""
    places = m.producers[w, barrier]
    for i in range(len(places)):
        if places[i] <= now:
            places[i] = NEVER
            return


@rule
def set_place(m: Model, w: int, barrier: int, at: int) -> None:
    """It is known when one of the producers will be done."""
    places = m.producers[w, barrier]
    for i in range(len(places)):
        if places[i] == NEVER:
            places[i] = at
            return


@rule
def counts_one_more(m: Model, w: int, pc: int, now: int) -> int:
    """When the barriers that the instruction raises can count it, ``NEVER`` where that is not known yet.

    Seen on the H100: microbenchmarks ``outstanding``.
    """
    code = m.instructions[pc]
    at = now
    if code["write_barrier"] < NUM_BARRIERS:
        at = max(at, place_of(m, w, code["write_barrier"], now))
    if code["read_barrier"] < NUM_BARRIERS:
        at = max(at, place_of(m, w, code["read_barrier"], now))
    return at


@rule
def place_of(m: Model, w: int, barrier: int, now: int) -> int:
    """When a barrier has a place for one more producer."""
    places = m.producers[w, barrier]
    first = NEVER
    for i in range(len(places)):
        first = min(first, places[i])
    return max(now, first)
