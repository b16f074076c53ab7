"""The block dispatcher: which block comes to the SM when, and its launch."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import wake
from smsim.rules.bits import lowest
from smsim.rules.block_age import note_block
from smsim.rules.copies import forget_copies
from smsim.rules.cursor import start
from smsim.rules.dispatch import stall
from smsim.rules.foresight import foresee_access
from smsim.rules.frontend import begin
from smsim.rules.issue_counts import forget_issues
from smsim.rules.rule import apart, entry, rule
from smsim.rules.turns import give_way
from smsim.several import STRIDE
from smsim.state.sizes import NEVER, NUM_SCOREBOARDS, NUM_SMSPS, RUNNING

NO_INSTRUCTION = int(Reason.NO_INSTRUCTION)
# Cycles that a block's dispatch takes for each warp but the first (``filling``, 1 to 6 warps), and for each further one
# behind so many (24 to 32 warps).
FURTHER_WARP = 1
MANY, FURTHER_OF_MANY = 21, 2


@entry
def dispatch_blocks(m: Model, now: int) -> None:
    """One cycle of the block dispatcher: launch the next block if there is one and a place for it."""
    sm = m.sm[0]
    if now < m.params[0]["first_block"]:
        sm["dispatch_wake"] = m.params[0]["first_block"]
        return
    sm["dispatch_wake"] = NEVER
    number = next_block(m)
    if number < 0 or sm["running_blocks"] >= sm["block_slots"]:
        return
    slot = first_free(m)
    if now < m.blocks[slot]["free_from"]:
        sm["dispatch_wake"] = m.blocks[slot]["free_from"]
        return
    if number >= first_blocks(m):
        m.chip[0]["next_block"] += 1
    launch_block(m, slot, number, now)
    if next_block(m) >= 0 and sm["running_blocks"] < sm["block_slots"]:
        sm["dispatch_wake"] = now + interval_behind(m, slot)


@apart
def hear_of_end(m: Model, now: int) -> int:
    """The dispatcher hears of a block's end, of one on the whole GPU at a time; returns when.

    The launch ends when it has heard of all. Seen on the H100: launches of 4,224 to 33,792 short blocks end 1.18 cycles
    a block behind the first one's end, whatever the SMs are active.
    """
    chip = m.chip[0]
    heard = max(now, int(chip["dispatch_free"]))
    # SMs go through a stride one after the other: before what one takes late in it another may take its own.
    since = now if chip["sms"] == 1 else now - now % STRIDE
    chip["dispatch_free"] = max(chip["dispatch_free"], since) + m.params[0]["dispatch_interval"]
    chip["last_ready"] = max(chip["last_ready"], heard)
    return heard


@rule
def first_free(m: Model) -> int:
    """The slot without a block that can be given to one first."""
    first = -1
    for slot in range(m.sm[0]["block_slots"]):
        block = m.blocks[slot]
        if block["trace_block"] < 0 and (first < 0 or block["free_from"] < m.blocks[first]["free_from"]):
            first = slot
    return first


@rule
def interval_behind(m: Model, slot: int) -> int:
    """The cycles from a block's launch to the next block's: by its warps, of which many take longer than it does.

    Seen on the H100: microbenchmarks ``filling``.
    """
    p, further = m.params[0], m.blocks[slot]["warps"] - 1
    warps = further * p["warp_interval"] + max(0, further - MANY) * FURTHER_OF_MANY
    return max(p["block_interval"] + further * FURTHER_WARP, warps + p["block_gap"])


@rule
def first_blocks(m: Model) -> int:
    """Blocks that the SMs start with: one for each in turn, until all are full."""
    return m.chip[0]["sms"] * m.sm[0]["block_slots"]


@rule
def next_block(m: Model) -> int:
    """The next block that the SM can get, -1 for none."""
    chip, sm = m.chip[0], m.sm[0]
    number = sm["index"] + sm["launched_blocks"] * chip["sms"]
    if sm["launched_blocks"] >= sm["block_slots"]:
        number = first_blocks(m) + chip["next_block"]
    return number if number < len(m.traced_blocks) else -1


@apart
def launch_block(m: Model, slot: int, number: int, now: int) -> None:
    """Put a block of the trace into a block slot, its warps on the SMSPs in turn."""
    sm = m.sm[0]
    block = m.blocks[slot]
    first, last = m.traced_blocks[number]["first_warp"], m.traced_blocks[number]["end_warp"]
    block["trace_block"] = number
    block["warps"] = last - first
    block["running"] = last - first
    block["arrived"][:] = 0
    block["answered"] = now
    for trace_warp in range(first, last):
        launch_warp(m, free_slot(m), slot, trace_warp, now + (trace_warp - first) * m.params[0]["warp_interval"])
    sm["last_block"] = number
    sm["launched_blocks"] += 1
    sm["running_blocks"] += 1


@rule
def free_slot(m: Model) -> int:
    """An empty warp slot; SMSPs are taken in turn, each warp slot w belonging to SMSP w % 4."""
    sm = m.sm[0]
    for i in range(NUM_SMSPS):
        smsp = (sm["next_smsp"] + i) % NUM_SMSPS
        slot = lowest(~m.smsps[smsp]["resident"])
        if slot < m.wakes.shape[1]:
            sm["next_smsp"] = (smsp + 1) % NUM_SMSPS
            return slot * NUM_SMSPS + smsp
    return -1


@rule
def launch_warp(m: Model, w: int, slot: int, trace_warp: int, at: int) -> None:
    """A warp becomes resident at ``at``."""
    warp = m.warps[w]
    sm = m.sm[0]
    warp["status"] = RUNNING
    m.smsps[w % NUM_SMSPS]["resident"] |= 1 << (w // NUM_SMSPS)
    warp["block_slot"], warp["phase"] = slot, m.blocks[slot]["phase"]
    warp["launch_order"] = sm["launched"]
    sm["launched"] += 1
    sm["running_warps"] += 1
    forget_issues(m, w % NUM_SMSPS, w // NUM_SMSPS)
    note_block(m, w)
    give_way(m, w)
    stall(m, w, at)
    warp["resolving_from"] = at
    warp["resolving_until"] = at
    warp["line_until"] = at
    warp["branch_met"] = at
    warp["barrier_from"] = at
    warp["barrier_until"] = at
    warp["passing_until"] = at
    warp["returned"][:] = at
    warp["sent_until"] = at
    warp["queued"] = 0
    if len(m.copies) > 0:
        forget_copies(m, w, at)
    for b in range(NUM_SCOREBOARDS):
        warp["sb_pending"][b] = 0
        warp["sb_release"][b] = at
        warp["sb_producer"][b] = -1
        for place in range(m.params[0]["barrier_places"]):
            m.producers[w, b, place] = 0
    warp["results_until"] = at
    for place in range(m.results.shape[1]):
        m.results[w, place]["writer"] = -1
    warp["stopped_until"] = at + m.params[0]["first_instruction"]
    warp["stopped_by"] = NO_INSTRUCTION
    warp["reason"] = NO_INSTRUCTION
    warp["since"] = at
    start(m, w, trace_warp)
    warp["shown"] = warp["pc"]
    warp["shown_until"] = at
    begin(m, w, warp["stopped_until"])
    foresee_access(m, warp["access"])
    wake(m, w, at)
