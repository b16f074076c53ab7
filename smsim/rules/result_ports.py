"""Results of the MIO and of L1TEX at the register file's write ports: a port that the dispatcher's has is waited for.

Each bank takes one result a cycle, and what the dispatcher has sent goes first. Several registers come one after the
other, from the ADU all at once. Seen on an H200: microbenchmarks ``ports_of_results``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_BANKS, NUM_SMSPS

WRITTEN = 1  # cycles from the last register's write to the barrier's release
FROM_ADU = 1  # further ones of what the ADU has itself: LDC, MATCH
MOST_LATE = 19  # cycles that one waits; then it goes first, which costs the dispatcher 3 cycles (not modelled)
HISTORY = 48  # cycles of the dispatcher's writes that are kept
KEPT = (1 << HISTORY) - 1
SELECTED = int(Reason.SELECTED)


@rule
def note_write(m: Model, smsp: int, bank: int, at: int) -> None:
    """An instruction of the dispatcher's writes to a bank in that cycle."""
    state = m.smsps[smsp]
    later = at - state["bank_written_at"][bank]
    if later > 0:
        before = state["bank_writes"][bank] << later if later < HISTORY else 0
        state["bank_writes"][bank] = before & KEPT | 1
        state["bank_written_at"][bank] = at
    elif later > -HISTORY:
        state["bank_writes"][bank] |= 1 << -later


@rule
def is_written(m: Model, smsp: int, bank: int, at: int) -> bool:
    """Whether such an instruction writes to a bank in that cycle."""
    state = m.smsps[smsp]
    ago = state["bank_written_at"][bank] - at
    return 0 <= ago < HISTORY and state["bank_writes"][bank] >> ago & 1 != 0


@rule
def note_producer(m: Model, w: int, pc: int, done: int) -> None:
    """The instruction's results come at ``done``: if none of its barrier's come later the barrier waits for them."""
    warp, code = m.warps[w], m.instructions[pc]
    barrier = code["write_barrier"]
    if barrier < len(warp["sb_producer"]) and warp["sb_release"][barrier] == done:
        warp["sb_producer"][barrier] = pc if code["result_words"] > 0 else -1


@rule
def await_port(m: Model, w: int, barrier: int, now: int) -> None:
    """The barrier's release time has come: by what its last results have waited for their ports it is later.

    What comes to wait for results of the LSU in just that cycle, right behind an issue, goes on in the next one.
    """
    warp = m.warps[w]
    pc = warp["sb_producer"][barrier]
    if pc < 0:
        return
    warp["sb_producer"][barrier] = -1
    code, smsp = m.instructions[pc], w % NUM_SMSPS
    at_once = code["is_ldc"] or code["is_match"]
    words, bank = code["result_words"], code["result_bank"]
    at = warp["sb_release"][barrier] - WRITTEN - (FROM_ADU if at_once else words - 1)
    late = 0
    for word in range(words):
        while late < MOST_LATE and is_written(m, smsp, (bank + word) % NUM_BANKS, at + late):
            late += 1
        at += not at_once
    warp["sb_release"][barrier] += late
    if not at_once and warp["sb_release"][barrier] == now and warp["reason"] == SELECTED:
        warp["sb_release"][barrier] += 1
