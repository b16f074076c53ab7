"""The two rows of L1's data stage, each of which makes a pass every other cycle, and the places in front of them.

A load whose words L1 holds goes to a row; one that cannot begin at once, since both are taken or its warp's accesses
before it make passes, waits in a place. Who has several passes needs one in any case. When there is none, it and what
comes behind it wait in the tag stage.
Seen on the H100: microbenchmarks ``queued`` and ``following``, loads ahead of which another warp's wait.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import first_free
from smsim.rules.leaving_lines import pass_over_known, read_while_busy
from smsim.rules.rule import rule
from smsim.state.sizes import NEVER, NUM_LOOKED_UP, NUM_ROWS, NUM_SECTORS

PLACE_RETURN = 4  # cycles from when a load begins until the tag stage goes on with what waits for its place


@rule
def begin_load(m: Model, ready: int, start: int, tags: int, passes: int, kind: np.void) -> int:
    """A load that is ``ready`` then makes so many passes; returns when it begins with them.

    As many cycles as it loses to lines that leave meanwhile count as if it began later. Its tags are looked up from
    ``start`` to ``tags``, later if it has to wait for a place.
    """
    sm = m.sm[0]
    begins, row = row_for(m, ready)
    # Alone, it waits for no more than the row's turn.
    if begins >= tags + NUM_ROWS or passes > 1:
        waits = await_place(m, start) - start
        sm["tag_free"] += waits
        begins, row = row_for(m, max(ready, tags + waits))
        take_place(m, begins)
    return make_in_row(m, row, begins, passes, kind)


@rule
def begin_part(m: Model, ready: int, passes: int, kind: np.void) -> int:
    """Some of a load's lines that are ready then make so many passes by themselves; returns when they begin."""
    begins, row = row_for(m, ready)
    return make_in_row(m, row, begins, passes, kind)


@rule
def make_in_row(m: Model, row: int, begins: int, passes: int, kind: np.void) -> int:
    """A load, or a part of it, makes so many passes in a row from then on; returns when it begins, see `begin_load`."""
    sm = m.sm[0]
    if sm["row_passes"][row] == 0:
        sm["row_from"][row] = begins  # what is read before then costs the store's turn before it
    sm["row_passes"][row], sm["row_lost"][row] = passes, 0
    for sector in range(NUM_SECTORS):
        sm["row_bank_passes"][row, sector] = kind["bank_passes"][sector]
    begins += take_row(m, row, begins, passes * NUM_ROWS)
    sm["load_begun"] = begins
    return begins


@rule
def take_row(m: Model, row: int, begins: int, cycles: int) -> int:
    """Something makes passes in a row for so many cycles from then on; returns how many more lines that leave cost."""
    sm = m.sm[0]
    if begins > sm["row_free"][row] + NUM_ROWS:
        sm["row_from"][row] = begins
    until = begins + cycles
    sm["row_free"][row] = until
    pass_over_known(m, row, begins)
    if sm["store_lines"] > 0 and sm["row_passes"][row] > 0:
        read_while_busy(m, row)
    return int(sm["row_free"][row]) - until


@rule
def row_for(m: Model, ready: int) -> tuple[int, int]:
    """When a load may begin that is ready then, and in which row: both do not make passes in the same cycles."""
    free = m.sm[0]["row_free"]
    ready = max(ready, m.sm[0]["loads_held_until"])
    begins, taken = NEVER, 0
    for i in range(NUM_ROWS):
        at, other = max(ready, free[i]), free[NUM_ROWS - 1 - i]
        if other > at and (other - at) % NUM_ROWS == 0:
            at += 1
        if at < begins or (at == begins and free[i] > free[taken]):
            begins, taken = at, i
    return begins, taken


@rule
def row_free_from(m: Model, at: int) -> int:
    """When a row is free for what could make its passes then."""
    return max(at, min(m.sm[0]["row_free"][0], m.sm[0]["row_free"][1]))


@rule
def take_rows(m: Model, begins: int, passes: int, cycles: int) -> int:
    """What makes so many passes from then on takes both rows, one pass per cycle, or for longer one of them.

    Returns when it begins.
    """
    free = m.sm[0]["row_free"]
    if cycles == passes:
        begins = max(begins, free[0], free[1])
        hold_rows(m, begins + passes)
        return begins
    row = 0 if free[0] <= free[1] else 1
    begins = max(free[row], begins)
    m.sm[0]["row_passes"][row] = 0
    take_row(m, row, begins, cycles)
    return begins


@rule
def hold_rows(m: Model, until: int) -> None:
    """Nothing begins before then."""
    for i in range(NUM_ROWS):
        m.sm[0]["row_free"][i] = max(m.sm[0]["row_free"][i], until)


@rule
def hold_loads(m: Model, until: int) -> None:
    """No load that L1 holds begins before then; stores may."""
    m.sm[0]["loads_held_until"] = max(m.sm[0]["loads_held_until"], until)


@rule
def await_place(m: Model, at: int) -> int:
    """When there is a place for a load whose tags could be looked up from then on."""
    places = m.sm[0]["placed_loads"]
    soonest = places[0]
    for i in range(1, NUM_LOOKED_UP):
        soonest = min(soonest, places[i])
    return max(at, soonest + PLACE_RETURN)


@rule
def take_place(m: Model, begins: int) -> None:
    """A load has the place that is free first, until it begins."""
    places = m.sm[0]["placed_loads"]
    places[first_free(places)] = begins
