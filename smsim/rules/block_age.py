"""Which block of an SM was launched first: an SMSP issues from its warps as long as one of them can issue.

Seen on the H100: microbenchmark ``ages``, rows of one instruction by the warps of 4 to 32 blocks, in one wave and more.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NUM_SMSPS


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


@rule
def of_oldest(m: Model, smsp: int, slots: int) -> int:
    """Of some slots (a bit mask, not 0) those of the block that was launched first."""
    state = m.smsps[smsp]
    for i in range(state["block_count"]):
        oldest = slots & state["block_warps"][i]
        if oldest != 0:
            return oldest
    return slots
