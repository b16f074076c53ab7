"""How often each warp has issued of late: a counter of four bits for each warp of an SMSP.

A warp that has filled its counter halves those of all when it issues again. Seen on the H100: microbenchmark
``yields``, in which 2 to 8 warps choose so in every row.
A word holds one bit of all the warps' counters, so that they are halved, and compared, together. They stand in a ring,
as each of the last issues left them: a choice looks at how they stood some cycles ago.
"""

from smsim.model import Model
from smsim.rules.bits import highest, number_of
from smsim.rules.rule import entry, rule
from smsim.state.sizes import COUNTER_BITS, KEPT_COUNTS

COUNTED_AFTER = 5  # cycles from an issue to the first choice that it counts for
RECENT = (1 << COUNTED_AFTER) - 1  # mask of the cycles up to the last issue's
RING = KEPT_COUNTS - 1  # mask of a place


@rule
def note_issue(m: Model, smsp: int, slot: int, now: int) -> None:
    """The warp issues in this cycle."""
    state = m.smsps[smsp]
    last = state["last_count"]
    place = last + 1 & RING
    state["issued"][place] = slot
    count(m, smsp, last, place)
    state["last_count"] = place
    state["recent"] = (state["recent"] << min(now - state["issued_at"], COUNTED_AFTER) | 1) & RECENT
    state["issued_at"] = now


@rule
def count(m: Model, smsp: int, before: int, place: int) -> None:
    """Set the counters as the issue in this place of the ring leaves them, from those before it."""
    old, new = m.issue_counts[smsp, before], m.issue_counts[smsp, place]
    carry = 1 << m.smsps[smsp]["issued"][place]
    for bit in range(COUNTER_BITS):
        new[bit], carry = old[bit] ^ carry, old[bit] & carry
    if carry != 0:
        # Its counter was full, and is 0 now: half of what it was are all bits but the highest.
        for bit in range(COUNTER_BITS - 1):
            new[bit] = new[bit + 1] | carry
        new[COUNTER_BITS - 1] = 0


@rule
def later_than(m: Model, smsp: int, cycle: int) -> int:
    """How many issues, of the last ones, were behind a cycle."""
    state = m.smsps[smsp]
    cycles = max(0, min(state["issued_at"] - cycle, COUNTED_AFTER))
    return number_of(state["recent"] & (1 << cycles) - 1)


@rule
def forget_issues(m: Model, smsp: int, slot: int) -> None:
    """Another warp comes into the slot: it has not issued yet."""
    state = m.smsps[smsp]
    last = state["last_count"]
    later = later_than(m, smsp, max(-1, state["issued_at"] - COUNTED_AFTER))
    first = last - later & RING
    for bit in range(COUNTER_BITS):
        m.issue_counts[smsp, first, bit] &= ~(1 << slot)
    for i in range(later):
        count(m, smsp, first + i & RING, first + i + 1 & RING)


@rule
def fewest_issues(m: Model, smsp: int, slots: int, now: int) -> int:
    """Of some slots (a bit mask, not 0) that of the warp that has issued least of late; of several the youngest."""
    state = m.smsps[smsp]
    counts = m.issue_counts[smsp, state["last_count"] - later_than(m, smsp, now - COUNTED_AFTER) & RING]
    for bit in range(COUNTER_BITS - 1, -1, -1):
        fewer = slots & ~counts[bit]
        if fewer != 0:
            slots = fewer
    return highest(slots)


@entry
def turn_to_last(m: Model, smsp: int) -> None:
    """Have the last counters of an SMSP's ring in its first place."""
    state = m.smsps[smsp]
    while state["last_count"] != 0:
        turn_ring(m, smsp)
        state["last_count"] = state["last_count"] + 1 & RING


@rule
def turn_ring(m: Model, smsp: int) -> None:
    """Move everything in a ring on by a place."""
    state, counts = m.smsps[smsp], m.issue_counts[smsp]
    slot = state["issued"][KEPT_COUNTS - 1]
    for place in range(KEPT_COUNTS - 1, 0, -1):
        state["issued"][place] = state["issued"][place - 1]
    state["issued"][0] = slot
    for bit in range(COUNTER_BITS):
        word = counts[KEPT_COUNTS - 1, bit]
        for place in range(KEPT_COUNTS - 1, 0, -1):
            counts[place, bit] = counts[place - 1, bit]
        counts[0, bit] = word
