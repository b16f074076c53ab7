"""How often each warp has issued of late: a counter of four bits for each warp of an SMSP.

A warp that has filled its counter halves those of all when it issues again. Seen on the H100: microbenchmark
``yields``, in which 2 to 8 warps choose so in every row.
A word holds one bit of all the warps' counters, so that they are halved, and compared, together.
"""

from smsim.model import Model
from smsim.rules.bits import highest
from smsim.rules.rule import rule
from smsim.state import COUNTER_BITS

COUNTED_AFTER = 5  # cycles from an issue to the first choice that it counts for
# Issues that do not count yet: a byte for each cycle, the last one lowest, with the slot that issued and 1.
BYTE = 8
KEPT = (1 << BYTE * COUNTED_AFTER) - 1


@rule
def note_issue(m: Model, smsp: int, slot: int, now: int) -> None:
    """The warp issues in this cycle."""
    count_issues(m, smsp, now)
    m.smsps[smsp]["uncounted"] |= slot + 1


@rule
def count_issues(m: Model, smsp: int, now: int) -> None:
    """Count what was issued long enough ago."""
    uncounted = m.smsps[smsp]["uncounted"]
    cycles = now - m.smsps[smsp]["counted_at"]
    while uncounted != 0 and cycles > 0:
        uncounted <<= BYTE
        cycles -= 1
        slot = (uncounted >> BYTE * COUNTED_AFTER) - 1
        if slot >= 0:
            count(m, smsp, slot)
            uncounted &= KEPT
    m.smsps[smsp]["uncounted"] = uncounted
    m.smsps[smsp]["counted_at"] = now


@rule
def count(m: Model, smsp: int, slot: int) -> None:
    """The warp has issued once more."""
    counts = m.issue_counts[smsp]
    carry = 1 << slot
    for bit in range(COUNTER_BITS):
        counts[bit], carry = counts[bit] ^ carry, counts[bit] & carry
    if carry != 0:
        # Its counter was full, and is 0 now: half of what it was are all bits but the highest.
        for bit in range(COUNTER_BITS - 1):
            counts[bit] = counts[bit + 1] | carry
        counts[COUNTER_BITS - 1] = 0


@rule
def forget_issues(m: Model, smsp: int, slot: int) -> None:
    """Another warp comes into the slot: it has not issued yet."""
    for bit in range(COUNTER_BITS):
        m.issue_counts[smsp, bit] &= ~(1 << slot)


@rule
def fewest_issues(m: Model, smsp: int, slots: int) -> int:
    """Of some slots (a bit mask, not 0) that of the warp that has issued least of late; of several the youngest."""
    for bit in range(COUNTER_BITS - 1, -1, -1):
        fewer = slots & ~m.issue_counts[smsp, bit]
        if fewer != 0:
            slots = fewer
    return highest(slots)
