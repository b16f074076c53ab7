"""In which order what has come from L2 makes its passes in L1's data stage.

The stage has two rows. While both are busy one takes what was looked up first of all that is ready, the other what has
been ready for longest, and a warp's accesses are never in both. A load that waits for data which others have asked for
is ready when its warp's before it have made their passes. Seen on an H200: microbenchmarks ``same_sectors``, and on the
H100: microbenchmarks ``columns``.
"""

from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.rule import rule


@rule
def row(m: Model, place: int) -> int:
    """The row of ``fills`` of what waits for data from L2, by its place in the order in which they are ready."""
    return around(m.sm[0]["fills_head"] + place, len(m.fills))


@rule
def is_behind_its_warp(m: Model, w: int, number: int, arrives: int) -> bool:
    """Whether accesses of a warp before that with a number, whose data arrive no later, have still to make passes."""
    waits = False
    for place in range(m.sm[0]["fills"]):
        other = m.fills[row(m, place)]
        waits |= (other["warp"] == w) & (other["number"] < number) & (other["arrives"] <= arrives)
    return bool(waits)


@rule
def bring_next(m: Model, at: int) -> None:
    """What makes its passes next, of all that are ready then, comes first."""
    sm = m.sm[0]
    place, ready, oldest = 0, -1, -1
    while place < sm["fills"] and m.fills[row(m, place)]["there"] <= at:
        this = m.fills[row(m, place)]
        if this["warp"] != sm["fill_warp"]:
            if ready < 0:
                ready = oldest = place
            elif this["number"] < m.fills[row(m, oldest)]["number"]:
                oldest = place
        place += 1
    if ready >= 0:
        sm["takes_oldest"] = not sm["takes_oldest"]
        move_up(m, oldest if sm["takes_oldest"] else ready, 0)


@rule
def let_next_follow(m: Model, w: int, at: int) -> None:
    """A warp has made its passes then: its next access is ready, if it has waited for that, as the last ones do."""
    sm = m.sm[0]
    place = sm["fills"] - sm["fills_behind"]
    while place < sm["fills"] and m.fills[row(m, place)]["warp"] != w:
        place += 1
    if place == sm["fills"]:
        return
    follower = m.fills[row(m, place)]
    if not is_behind_its_warp(m, w, follower["number"], follower["arrives"]):
        sm["fills_behind"] -= 1
        follower["there"] = max(at, follower["arrives"])
        put_in_order(m, place)


@rule
def put_in_order(m: Model, place: int) -> None:
    """What waits for L2 in a place of the order comes forward to where it belongs by when it is ready."""
    there, to = m.fills[row(m, place)]["there"], place
    while to > 0 and m.fills[row(m, to - 1)]["there"] > there:
        to -= 1
    move_up(m, place, to)
    expect_passes(m, to)


@rule
def move_up(m: Model, place: int, to: int) -> None:
    """What waits for L2 in a place of the order comes to one further forward; those between make room."""
    if place > to:
        free = m.sm[0]["fills"]
        m.fills[row(m, free)] = m.fills[row(m, place)]
        while place > to:
            m.fills[row(m, place)] = m.fills[row(m, place - 1)]
            place -= 1
        m.fills[row(m, to)] = m.fills[row(m, free)]


@rule
def expect_passes(m: Model, place: int) -> None:
    """Until when what waits for L2 makes its passes, from a place of the order on, if these have the data stage."""
    sm = m.sm[0]
    until = m.fills[row(m, place - 1)]["until"] if place > 0 else sm["fill_free"]
    for behind in range(place, sm["fills"]):
        awaited = m.fills[row(m, behind)]
        until = max(awaited["there"], until) + awaited["passes"]
        awaited["until"] = until
