"""The end of warps, and of blocks with their last one."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import book
from smsim.rules.barriers import release_if_complete
from smsim.rules.blocks import hear_of_end
from smsim.rules.rule import rule
from smsim.rules.stores import send_all
from smsim.state.sizes import EMPTY, EXITED, NEVER, NUM_SMSPS

DRAIN = int(Reason.DRAIN)


@rule
def exit_warp(m: Model, w: int, now: int) -> None:
    """The warp has issued its last instruction: it stays until its stores have left."""
    warp = m.warps[w]
    warp["status"] = EXITED
    warp["stopped_by"] = DRAIN
    block = m.blocks[warp["block_slot"]]
    block["running"] -= 1
    m.sm[0]["ending_blocks"] += block["running"] == 0
    m.sm[0]["running_warps"] -= 1
    for barrier in range(len(block["arrived"])):
        release_if_complete(m, warp["block_slot"], barrier, now + m.params[0]["barrier_release"], now + 1)


@rule
def drained_at(m: Model, w: int, now: int) -> int:
    """When an exited warp is gone, its stores sent, its results back; ``NEVER`` while an instruction is queued."""
    warp, p = m.warps[w], m.params[0]
    if warp["queued"] > 0:
        return NEVER
    return max(warp["stopped_until"], warp["sent_until"]) + p["branch_started"] + p["exit_resolving"] - 1


@rule
def retire_warp(m: Model, w: int, now: int) -> None:
    """An exited warp leaves its slot, and with the last one its block; others come once L2 has answered its reductions.

    The SM counts as active until it is rid of its reductions, whose answers it does not wait for.
    """
    book(m, w, DRAIN, now)
    warp = m.warps[w]
    warp["status"] = EMPTY
    m.smsps[w % NUM_SMSPS]["resident"] &= ~(1 << (w // NUM_SMSPS))
    sm = m.sm[0]
    block = m.blocks[warp["block_slot"]]
    block["warps"] -= 1
    sm["last_exit"] = max(now, sm["last_exit"], sm["rid_until"])
    if block["warps"] == 0:
        block["trace_block"] = -1
        sm["running_blocks"] -= 1
        sm["ending_blocks"] -= 1
        if sm["running_blocks"] == 0:
            send_all(m, now)
        block["free_from"] = max(hear_of_end(m, now), block["answered"]) + m.params[0]["relaunch"]
        sm["dispatch_wake"] = min(sm["dispatch_wake"], block["free_from"])
