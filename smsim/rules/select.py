"""Scheduling policies: which eligible warp issues. One function each, called with a bit mask of eligible slots.

What the H100 does, ``GREEDY_THEN_YOUNGEST``: microbenchmarks ``order``, ``turns``, ``yields`` and ``circling``.
"""

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.block_age import of_oldest
from smsim.rules.issue_counts import fewest_issues
from smsim.rules.rule import entry, rule
from smsim.state.sizes import NEVER, NUM_SMSPS

GREEDY_THEN_YOUNGEST, GREEDY_THEN_OLDEST, LOOSE_ROUND_ROBIN, OLDEST_FIRST = range(4)


@entry
def select(m: Model, smsp: int, eligible: int, policy: int, now: int) -> int:
    """The warp slot to issue from, one of those whose bit ``slot // 4`` is set in ``eligible`` (not 0)."""
    if eligible & (eligible - 1) == 0:
        return lowest(eligible) * NUM_SMSPS + smsp
    last = m.smsps[smsp]["last_warp"]
    if policy == GREEDY_THEN_YOUNGEST:
        return keenest(m, smsp, eligible, last, now)
    if policy == LOOSE_ROUND_ROBIN:
        return next_after(m, smsp, eligible, last)
    if policy == OLDEST_FIRST:
        return by_age(m, smsp, eligible)
    stays = last >= 0 and (eligible >> (last // NUM_SMSPS)) & 1
    return last if stays else by_age(m, smsp, eligible)


@rule
def keenest(m: Model, smsp: int, eligible: int, last: int, now: int) -> int:
    """What the H100 does: the warp that issued last goes on if it has its turn, else one of the oldest block's goes.

    Of these, of those that have their turns the one goes that has issued least of late, and of those that gave way only
    if there is none: microbenchmarks ``begun``, in which younger blocks' warps get on beside older ones'; ``circling``,
    in which warps keep their turns across branches; ``yields``.
    """
    keen = eligible & ~m.smsps[smsp]["gave_way"]
    if last >= 0 and (keen >> (last // NUM_SMSPS)) & 1:
        return last
    eligible = of_oldest(m, smsp, eligible)
    keen &= eligible
    if keen != 0:
        eligible = keen
    return fewest_issues(m, smsp, eligible, now) * NUM_SMSPS + smsp


@rule
def next_after(m: Model, smsp: int, eligible: int, last: int) -> int:
    """The first eligible slot behind the last one issued, around the ring."""
    behind = eligible & ~((2 << (last // NUM_SMSPS)) - 1) if last >= 0 else eligible
    return lowest(behind if behind != 0 else eligible) * NUM_SMSPS + smsp


@rule
def by_age(m: Model, smsp: int, eligible: int) -> int:
    """The eligible warp launched first."""
    best, best_order = -1, NEVER
    while eligible != 0:
        w = lowest(eligible) * NUM_SMSPS + smsp
        eligible &= eligible - 1
        if m.warps[w]["launch_order"] < best_order:
            best, best_order = w, m.warps[w]["launch_order"]
    return best
