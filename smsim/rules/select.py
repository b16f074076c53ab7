"""Scheduling policies: which eligible warp issues. One function each, called with a bit mask of eligible slots."""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NEVER, NUM_SMSPS

GREEDY_THEN_YOUNGEST, GREEDY_THEN_OLDEST, LOOSE_ROUND_ROBIN, OLDEST_FIRST = range(4)


@rule
def select(m: Model, smsp: int, eligible: int, policy: int) -> int:
    """The warp slot to issue from, one of those whose bit ``slot // 4`` is set in ``eligible`` (not 0)."""
    last = m.smsps[smsp]["last_warp"]
    if policy == LOOSE_ROUND_ROBIN:
        return next_after(m, smsp, eligible, last)
    if policy != OLDEST_FIRST and last >= 0 and (eligible >> (last // NUM_SMSPS)) & 1:
        return last
    return by_age(m, smsp, eligible, policy == GREEDY_THEN_YOUNGEST)


@rule
def next_after(m: Model, smsp: int, eligible: int, last: int) -> int:
    """The first eligible slot behind the last one issued, around the ring."""
    slots = len(m.warps) // NUM_SMSPS
    first = last // NUM_SMSPS + 1 if last >= 0 else 0
    for k in range(slots):
        slot = (first + k) % slots
        if (eligible >> slot) & 1:
            return slot * NUM_SMSPS + smsp
    return -1


@rule
def by_age(m: Model, smsp: int, eligible: int, youngest: bool) -> int:
    """The eligible warp launched last, or first."""
    best, best_order = -1, NEVER
    for slot in range(len(m.warps) // NUM_SMSPS):
        if (eligible >> slot) & 1:
            w = slot * NUM_SMSPS + smsp
            order = m.warps[w]["launch_order"]
            if youngest:
                order = -order
            if order < best_order:
                best, best_order = w, order
    return best
