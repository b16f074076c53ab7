"""One cycle of an SMSP: look at the warps that are due, and issue from the one that the policy picks."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import book
from smsim.rules.blocks import drained_at, retire_warp
from smsim.rules.hazard import hazard
from smsim.rules.rule import entry
from smsim.state import EMPTY, EXITED, NEVER, NUM_SMSPS

ELIGIBLE = int(Reason.SELECTED)
NOT_SELECTED = int(Reason.NOT_SELECTED)
DRAIN = int(Reason.DRAIN)


@entry
def look(m: Model, smsp: int, now: int) -> int:
    """Find out what holds each warp that is due; returns the eligible ones as a bit mask of ``slot // 4``."""
    eligible = 0
    for w in range(smsp, len(m.warps), NUM_SMSPS):
        warp = m.warps[w]
        if warp["status"] == EMPTY or warp["wake"] > now:
            continue
        if warp["status"] == EXITED:
            until = drained_at(m, w, now)
            if until <= now:
                retire_warp(m, w, now)
            else:
                book(m, w, DRAIN, now)
                warp["wake"] = until
            continue
        reason, until = hazard(m, w, now)
        if reason == ELIGIBLE:
            eligible |= 1 << (w // NUM_SMSPS)
            reason, until = NOT_SELECTED, now + 1
        book(m, w, reason, now)
        warp["wake"] = until
    return eligible


@entry
def next_look(m: Model, smsp: int) -> None:
    """Set when the SMSP has something to look at again."""
    at = NEVER
    for w in range(smsp, len(m.warps), NUM_SMSPS):
        if m.warps[w]["status"] != EMPTY and m.warps[w]["wake"] < at:
            at = m.warps[w]["wake"]
    m.smsps[smsp]["wake"] = at
