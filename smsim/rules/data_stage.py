"""L1's data stage, a pass a cycle: loads that hit go first, those whose data came from L2 take the cycles between.

What went to L2, loads and atomics, comes back as L2 answers, whatever was asked first. Beside shared memory, which has
the same stage, each makes its passes in one of its halves, every other cycle, by turns with it.
Seen on the H100: microbenchmarks ``misses``, ``fills``, ``behind`` and ``together``.
"""

import math

from smsim.model import Model
from smsim.rules.fill_order import bring_next, let_next_follow, put_in_order, row
from smsim.rules.queues import finish
from smsim.rules.rule import apart, rule
from smsim.state.sizes import MAX_HIT_TIMES, NEVER, NUM_ROWS

# Passes of what comes from L2 that stores and reductions keep out: of the lines of one turn.
MOST_KEPT_OUT = 4


@rule
def free_for_hits(m: Model, tags: int) -> int:
    """When another load that hits may make its passes: behind each, what has come from L2 makes those of a turn."""
    sm = m.sm[0]
    free = sm["load_data_free"]
    if is_beside_shared(m, tags):
        return max(free, tags, sm["half_free"][first_half_free(m)])
    return max(tags, free + turn_of_fills(m))


@rule
def turn_of_fills(m: Model) -> int:
    """The passes that what has come from L2 makes, or waits for, as the data stage is free for loads that hit, at most
    those of the lines of a turn.
    """
    sm = m.sm[0]
    free = sm["load_data_free"]
    if sm["fill_free"] > free:
        return min(sm["fill_free"] - free, sm["fill_turn"])
    if sm["fills"] == 0 or m.fills[row(m, 0)]["there"] > free:
        return 0
    first = m.fills[row(m, 0)]
    return max(0, min(first["at_once"], first["passes"] - first["given"]))


@rule
def let_fills_pass(m: Model, turn: int) -> None:
    """A load that hits has let what has come from L2 make its passes of a turn."""
    sm = m.sm[0]
    if sm["fill_free"] <= sm["load_data_free"] and sm["fills"] > 0:
        m.fills[row(m, 0)]["given"] += turn


@rule
def is_beside_shared(m: Model, at: int) -> bool:
    """Whether a load that could go then shares the data stage with shared memory."""
    return m.sm[0]["shared_until"] >= at


@rule
def first_half_free(m: Model) -> int:
    """Of the two that the data stage serves at a time, the one that is done first."""
    free = m.sm[0]["half_free"]
    return 0 if free[0] <= free[1] else 1


@rule
def beside_shared(m: Model, at: int) -> int:
    """When something of L1 may make its passes that could at ``at``: beside shared memory a half has to be free."""
    sm = m.sm[0]
    if sm["shared_until"] >= at:
        return max(at, sm["half_free"][first_half_free(m)])
    return at


@rule
def take_half(m: Model, at: int, passes: int) -> None:
    """Something of L1 makes so many passes from then on in the half that is free first, every other cycle."""
    sm, half = m.sm[0], first_half_free(m)
    sm["half_free"][half] = max(at, sm["half_free"][half]) + passes * m.params[0]["conflict_interval"]
    sm["halved_until"] = max(sm["halved_until"], sm["half_free"][half])
    sm["l1_turn"] = 0


@rule
def give_way_to_shared(m: Model, passes: int, now: int) -> None:
    """Shared memory begins with so many passes: what L1 has in both halves goes on in one."""
    sm = m.sm[0]
    interval = m.params[0]["conflict_interval"]
    if sm["shared_until"] < now:
        left = max(sm["load_data_free"], sm["fill_free"]) - now
        if left > 0:
            half = 1 - first_half_free(m)
            sm["half_free"][half] = max(sm["half_free"][half], now + left * interval)
            sm["halved_until"] = now + left * interval
        if sm["load_data_free"] > now:
            sm["load_data_free"] += min(passes, sm["load_data_free"] - now)
        if sm["fill_free"] > now:
            sm["fill_free"] += min(passes, sm["fill_free"] - now)
    elif sm["load_data_free"] > max(now, sm["halved_until"]):
        sm["load_data_free"] += passes


@rule
def make_passes(m: Model, at: int, passes: int, is_beside: bool) -> None:
    """Words that L1 holds make so many passes from ``at`` on; what came from L2 and is under way stops for them.

    Beside shared memory they have the half that is free first, though it be when what is there now has gone; what came
    from L2 stops there, too, for shared memory may have done soon.
    """
    sm = m.sm[0]
    sm["load_data_free"], sm["lasting_packets"] = at + passes, 0
    if is_beside:
        take_half(m, at, passes)
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
def beside_stores(m: Model, at: int, until: int) -> int:
    """Passes that would be made from ``at`` on, ``until`` then, with the rows that waiting stores leave; until when."""
    sm = m.sm[0]
    left = NUM_ROWS * (until - at)
    while left > 0:
        rows, change = NUM_ROWS, NEVER
        for i in range(NUM_ROWS):
            if at < sm["held_from"][i]:
                change = min(change, sm["held_from"][i])
            elif at < sm["held_until"][i]:
                rows -= 1
                change = min(change, sm["held_until"][i])
        if change == NEVER or left <= rows * (change - at):
            return at + (left + rows - 1) // rows
        left -= rows * (change - at)
        at = change
    return at


@rule
def await_quiet(m: Model, ready: int, free: int) -> int:
    """A store or atomic waits for a cycle in which no data come from L2; returns when that is, not before ``free``.

    Data that come go first. Meanwhile it has a row of the data stage, from when it is ready and there is one.
    Seen on the H100: microbenchmarks ``held_up``.
    """
    sm = m.sm[0]
    i = 0 if sm["held_until"][0] <= sm["held_until"][1] else 1
    ready = max(ready, sm["held_until"][i])
    begins = quiet_from(m, max(ready, free))
    if begins > ready:
        if ready > sm["held_until"][i]:
            sm["held_from"][i] = ready
        sm["held_until"][i] = begins
    return begins


@rule
def quiet_from(m: Model, at: int) -> int:
    """The first cycle from ``at`` on in which no sector comes from L2, of those that were asked for."""
    until = m.sm[0]["arriving_until"]
    for place in range(m.sm[0]["fills"]):
        coming = m.fills[row(m, place)]
        takes = coming["sectors"] * m.params[0]["sector_interval"]
        if coming["there"] - takes > max(until, at):
            break
        until = max(until, coming["there"] - takes) + takes
    return math.ceil(max(until, at))


@rule
def note_arrived(m: Model, at: int) -> None:
    """The data have come that are ready by then, in whatever order they make their passes."""
    sm, place = m.sm[0], 0
    while place < sm["fills"] and m.fills[row(m, place)]["there"] <= at:
        come = m.fills[row(m, place)]
        takes = come["sectors"] * m.params[0]["sector_interval"]
        sm["arriving_until"] = max(sm["arriving_until"], come["there"] - takes) + takes
        come["sectors"] = 0
        place += 1


@rule
def passed_until(m: Model, at: int) -> int:
    """The first cycle from ``at`` on in which nothing that has come from L2 waits for its passes."""
    until = m.sm[0]["fill_free"]
    for place in range(m.sm[0]["fills"]):
        coming = m.fills[row(m, place)]
        if coming["there"] > max(until, at):
            break
        until = max(until, coming["there"]) + coming["passes"]
    return max(at, until)


@rule
def may_wait(m: Model) -> bool:
    """Whether what has its tags looked up next finds room to wait for L2, whether it will have to or not.

    Seen on the H100: microbenchmarks ``pending``.
    """
    sm, p = m.sm[0], m.params[0]
    further = sm["fill_turns"] - sm["fills"]
    return sm["fill_turns"] < p["pending_turns"] and sm["fills"] + further * p["pending_further"] < p["pending_loads"]


@apart
def await_data(
    m: Model,
    w: int,
    pc: int,
    arrives: int,
    there: int,
    sectors: int,
    banks: int,
    passes: int,
    at_once: int,
    turns: int,
    late: int,
) -> None:
    """A load or atomic waits for L2: what it needs arrives then, and makes passes from ``there`` on.

    NEVER says that it waits for others of its warp. It is the warp's some cycles ``late``. What comes later goes
    behind it, whoever asked first. Of its passes so many ``at_once`` go before loads that hit or shared memory have
    their turn. Its lines were looked up in so many ``turns``.
    """
    sm = m.sm[0]
    last = sm["fills"]
    sm["fills"] += 1
    sm["fills_asked"] += 1
    awaited = m.fills[row(m, last)]
    awaited["number"] = sm["fills_asked"]
    awaited["warp"], awaited["pc"], awaited["arrives"], awaited["there"] = w, pc, arrives, there
    awaited["sectors"], awaited["passes"], awaited["at_once"], awaited["late"] = sectors, passes, at_once, late
    awaited["banks"], awaited["turns"], awaited["given"] = banks, turns, 0
    sm["fill_turns"] += turns
    sm["fills_behind"] += there == NEVER
    put_in_order(m, last)


@rule
def next_number(m: Model) -> int:
    """What waits for L2 next is the so-manieth that does, from 1 on."""
    return m.sm[0]["fills_asked"] + 1


@apart
def is_waiting(m: Model, number: int, at: int) -> bool:
    """Whether what was the so-manieth to wait for L2 will not have made all its passes by then."""
    sm = m.sm[0]
    if number == sm["fill_number"]:
        return at < sm["fill_free"]
    place = 0
    while place < sm["fills"] and m.fills[row(m, place)]["number"] != number:
        place += 1
    if place == sm["fills"]:
        return False
    until = m.fills[row(m, place)]["until"]
    begins = max(sm["fill_free"], m.fills[row(m, 0)]["there"])
    for i in range(sm["hit_times"]):
        place = (sm["hit_times_head"] + i) % MAX_HIT_TIMES
        if at < until or sm["hits_from"][place] >= until:
            break
        until += max(0, sm["hits_until"][place] - max(begins, sm["hits_from"][place]))
    return at < until


@rule
def keep_out(m: Model, banks: int, begins: int, until: int) -> None:
    """A store or reduction makes passes in some banks, a bit mask, every other cycle from ``begins`` until then."""
    sm = m.sm[0]
    if begins > sm["writing_until"] or banks & sm["writing_banks"] == 0:
        sm["writing_from"], sm["writing_banks"] = begins, banks
    sm["writing_banks"] &= banks
    sm["writing_until"] = max(sm["writing_until"], until)


@rule
def keeps_out(m: Model, at: int) -> bool:
    """Whether what comes first of what waits for L2 needs banks then in which others make pass after pass."""
    return m.sm[0]["writing_from"] <= at < m.sm[0]["writing_until"] and awaits_pause(m, at)


@rule
def awaits_pause(m: Model, at: int) -> bool:
    """Whether what comes first of what waits for L2 is there then and waits for those to pause in whose banks it is."""
    sm = m.sm[0]
    if sm["fills"] == 0:
        return False
    first = m.fills[row(m, 0)]
    return first["there"] <= at and first["passes"] <= MOST_KEPT_OUT and first["banks"] & sm["writing_banks"] != 0


@rule
def let_in(m: Model, at: int) -> int:
    """When what comes first of what waits for L2 may make its few passes, which could at ``at``.

    It waits for a pause of stores and reductions in its banks: where one ends another begins right behind.
    Seen on the H100: microbenchmarks ``answers``.
    """
    return int(m.sm[0]["writing_until"]) if keeps_out(m, at) else at


@rule
def next_fill(m: Model) -> int:
    """When the first that waits for L2 may make its passes, ``NEVER`` if none does."""
    if m.sm[0]["fills"] == 0:
        return NEVER
    return let_in(m, beside_shared(m, max(m.fills[row(m, 0)]["there"], m.sm[0]["fill_free"])))


@apart
def serve_fills(m: Model, now: int) -> int:
    """Let the data that have come from L2 make their passes, in their order; returns when the next may."""
    sm = m.sm[0]
    while sm["fills"] > 0:
        at = next_fill(m)
        if at > now:
            return at
        note_arrived(m, at)
        if sm["shared_until"] < at == sm["fill_free"]:
            bring_next(m, at)
        first = m.fills[row(m, 0)]
        passes = min(first["passes"], first["at_once"])
        if sm["shared_until"] >= at:
            half = first_half_free(m)
            take_half(m, at, passes)
            sm["fill_free"] = sm["half_free"][half]
            first["passes"] -= passes
            first["late"] -= passes
            if first["passes"] > 0:
                first["there"] = sm["fill_free"]
                continue
        else:
            sm["fill_free"] = beside_stores(m, at, between_hits(m, at, first["passes"]))
        sm["fill_number"], sm["fill_warp"], sm["fill_turn"] = first["number"], first["warp"], first["at_once"]
        sm["fills"] -= 1
        sm["fill_turns"] -= first["turns"]
        # Where nothing waits, the ring begins anew: so it lies in few lines of the host's caches.
        sm["fills_head"] = row(m, 1) if sm["fills"] > 0 else 0
        finish(m, first["warp"], first["pc"], sm["fill_free"] - first["passes"] + first["late"], now)
        let_next_follow(m, sm["fill_warp"], sm["fill_free"])
    return NEVER
