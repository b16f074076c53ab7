"""Where lines that miss wait behind loads that hit: a load asks L2 for a turn of its lines when the turn has room.

Its lines are looked up in turns, a line of each slice. Six turns with a line that misses find room, whatever is before
them; each keeps it until it goes on to a queue of five turns in front of the data stage, in which loads that hit and
have still to make their passes stand as well. Once these have gone one turn goes on a cycle.
Seen on one SM of an H200: microbenchmarks ``room``.
"""

from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.rows import PLACE_RETURN
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_PLACED_TURNS

# Turns in the queue, and the cycles in which a lone load makes the passes of one, of a bank.
QUEUED_TURNS, TURN_CYCLES = 5, 8


@rule
def begin_turns(m: Model, lines: int) -> None:
    """A load's lines, so many, will be looked up."""
    sm = m.sm[0]
    sm["in_slice"][:] = 0
    for turn in range(lines):
        sm["turn_waits"][turn] = -1


@rule
def turn_of(m: Model, slice_: int) -> int:
    """The turn in which the load's next line is looked up, which lies in that slice."""
    in_slice = m.sm[0]["in_slice"]
    in_slice[slice_] += 1
    return in_slice[slice_] - 1


@rule
def await_room(m: Model, turn: int, slice_: int, at: int) -> int:
    """A line that misses, of that turn and slice, could be looked up ``at``; returns when it is: its turn has room."""
    sm = m.sm[0]
    if sm["turn_waits"][turn] < 0:
        sm["turn_waits"][turn] = take_room(m, at)
    at = max(at, sm["turn_waits"][turn])
    sm["slice_free"][slice_] = max(sm["slice_free"][slice_], at + 1)
    return at


@rule
def take_room(m: Model, at: int) -> int:
    """A turn that could be looked up ``at`` takes room, the one that is free first; returns when it has it."""
    sm = m.sm[0]
    place, hits = sm["placed_turn"], sm["alone_until"]
    before = sm["placed_turns"][around(place + NUM_PLACED_TURNS - 1, NUM_PLACED_TURNS)]
    has = max(at, sm["placed_turns"][place])
    goes_on = has
    if hits > has:
        goes_on = max(has, hits - (QUEUED_TURNS - 1) * TURN_CYCLES, min(before + TURN_CYCLES, max(hits, before + 1)))
    sm["placed_turns"][place] = goes_on
    sm["placed_turn"] = around(place + 1, NUM_PLACED_TURNS)
    return has if has == at else has + PLACE_RETURN
