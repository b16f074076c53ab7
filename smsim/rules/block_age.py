"""Which block of an SM was launched first: an SMSP issues from its warps as long as one of them can issue.

Seen on the H100: microbenchmark ``ages``, rows of one instruction by the warps of 4 to 32 blocks, in one wave and more.
"""

from smsim.model import Model
from smsim.rules.rule import apart, rule
from smsim.state.sizes import NUM_SMSPS


@rule
def note_block(m: Model, w: int) -> None:
    """A warp of the SM's youngest block has come into a slot: whose that was before is over."""
    state, slot = m.smsps[w % NUM_SMSPS], 1 << (w // NUM_SMSPS)
    kept = 0
    for i in range(state["block_count"]):
        warps = state["block_warps"][i] & ~slot
        if warps != 0:
            state["block_warps"][kept] = warps
            kept += 1
    number = m.sm[0]["launched_blocks"]
    if kept == 0 or state["last_block"] != number:
        state["block_warps"][kept] = 0
        state["last_block"] = number
        kept += 1
    state["block_warps"][kept - 1] |= slot
    state["block_count"] = kept
    state["oldest_warps"] = state["block_warps"][0]


@rule
def of_oldest(m: Model, smsp: int, slots: int) -> int:
    """Of some slots (a bit mask, not 0) those of the block that was launched first."""
    oldest = slots & m.smsps[smsp]["oldest_warps"]
    return oldest if oldest != 0 else of_older(m, smsp, slots)


@apart
def of_older(m: Model, smsp: int, slots: int) -> int:
    """The same where none is of the oldest block that came to the SMSP."""
    state = m.smsps[smsp]
    for i in range(1, state["block_count"]):
        older = slots & state["block_warps"][i]
        if older != 0:
            return int(older)
    return slots
