"""L1's data stage, a pass a cycle: loads that hit go first, those whose data came from L2 take the cycles between.

What went to L2, loads and atomics, comes back in its order.
Seen on the H100: microbenchmarks ``misses``, ``fills`` and ``behind``.
"""

from smsim.model import Model
from smsim.rules.queues import finish
from smsim.rules.rule import rule
from smsim.state import MAX_FILLS, MAX_HIT_TIMES, NEVER


@rule
def free_for_hits(m: Model) -> int:
    """When another load that hits may make its passes: behind each, what has come from L2 makes one first."""
    sm = m.sm[0]
    free = sm["load_data_free"]
    return free + (sm["fills"] > 0 and m.fills[sm["fills_head"]]["there"] <= free)


@rule
def make_passes(m: Model, at: int, passes: int) -> None:
    """Words that L1 holds make so many passes from ``at`` on; what came from L2 and is under way stops for them."""
    sm = m.sm[0]
    sm["load_data_free"] = at + passes
    if sm["fill_free"] > at:
        sm["fill_free"] += passes
    last = (sm["hit_times_head"] + sm["hit_times"] - 1) % MAX_HIT_TIMES
    if sm["hit_times"] > 0 and sm["hits_until"][last] == at:
        sm["hits_until"][last] += passes
        return
    if sm["hit_times"] == MAX_HIT_TIMES:
        # The oldest is long past: what waits in front of L1 has fewer.
        sm["hit_times_head"] = (sm["hit_times_head"] + 1) % MAX_HIT_TIMES
        sm["hit_times"] -= 1
    last = (last + 1) % MAX_HIT_TIMES
    sm["hits_from"][last] = at
    sm["hits_until"][last] = at + passes
    sm["hit_times"] += 1


@rule
def between_hits(m: Model, at: int, passes: int) -> int:
    """So many passes are made from ``at`` on in the cycles that loads that hit leave; returns when all are."""
    sm = m.sm[0]
    while sm["hit_times"] > 0:
        head = sm["hit_times_head"]
        gap = max(0, sm["hits_from"][head] - at)
        if gap >= passes:
            break
        passes -= gap
        at = max(at, sm["hits_until"][head])
        sm["hit_times_head"] = (head + 1) % MAX_HIT_TIMES
        sm["hit_times"] -= 1
    return at + passes


@rule
def await_data(m: Model, w: int, pc: int, there: int, passes: int, late: int) -> None:
    """A load or atomic waits for L2: its data are ``there`` then, make passes, and are the warp's some cycles later."""
    sm = m.sm[0]
    awaited = m.fills[(sm["fills_head"] + sm["fills"]) % MAX_FILLS]
    awaited["warp"], awaited["pc"], awaited["there"] = w, pc, there
    awaited["passes"], awaited["late"] = passes, late
    before = sm["fill_free"]
    if sm["fills"] > 0:
        before = m.fills[(sm["fills_head"] + sm["fills"] - 1) % MAX_FILLS]["until"]
    awaited["until"] = max(there, before) + passes
    sm["fills"] += 1


@rule
def next_number(m: Model) -> int:
    """What waits for L2 next is the so-manieth that does, from 1 on."""
    return m.sm[0]["fills_served"] + m.sm[0]["fills"] + 1


@rule
def is_waiting(m: Model, number: int, at: int) -> bool:
    """Whether what was the so-manieth to wait for L2 will not have made all its passes by then."""
    sm = m.sm[0]
    if number <= sm["fills_served"]:
        return number == sm["fills_served"] and at < sm["fill_free"]
    until = m.fills[(sm["fills_head"] + number - sm["fills_served"] - 1) % MAX_FILLS]["until"]
    begins = max(sm["fill_free"], m.fills[sm["fills_head"]]["there"])
    for i in range(sm["hit_times"]):
        place = (sm["hit_times_head"] + i) % MAX_HIT_TIMES
        if at < until or sm["hits_from"][place] >= until:
            break
        until += max(0, sm["hits_until"][place] - max(begins, sm["hits_from"][place]))
    return at < until


@rule
def serve_fills(m: Model, now: int) -> int:
    """Let the data that have come from L2 make their passes, in order; returns when the next may."""
    sm = m.sm[0]
    while sm["fills"] > 0:
        first = m.fills[sm["fills_head"]]
        at = max(first["there"], sm["fill_free"])
        if at > now:
            return at
        sm["fill_free"] = between_hits(m, at, first["passes"])
        sm["fills_head"] = (sm["fills_head"] + 1) % MAX_FILLS
        sm["fills"] -= 1
        sm["fills_served"] += 1
        finish(m, first["warp"], first["pc"], sm["fill_free"] - first["passes"] + first["late"], now)
    return NEVER
