"""How often each warp has issued of late: a counter of four bits for each warp of an SMSP.

A warp that has filled its counter halves those of all when it issues again. Seen on the H100: microbenchmark
``yields``, in which 2 to 8 warps choose so in every row.
"""

from smsim.model import Model
from smsim.rules.rule import rule

FULL = 15
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
    counts = m.issue_counts
    if counts[smsp, slot] < FULL:
        counts[smsp, slot] += 1
    else:
        for other in range(counts.shape[1]):
            counts[smsp, other] >>= 1
