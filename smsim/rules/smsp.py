"""One cycle of an SMSP: look at the warps that are due, and issue from the one that the policy picks."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import book
from smsim.rules.alarms import next_due, set_alarm, take_due
from smsim.rules.bits import lowest
from smsim.rules.dispatch import forget_freezes
from smsim.rules.exits import drained_at, retire_warp
from smsim.rules.gates import ask_again_at, at_free_gates, enter, leave_gate
from smsim.rules.hazard import hazard, resolving
from smsim.rules.rule import entry, rule
from smsim.rules.turns import held_by
from smsim.state.sizes import EXITED, NEVER, NUM_SMSPS

DRAIN = int(Reason.DRAIN)


@entry
def look(m: Model, smsp: int, now: int) -> int:
    """Find out what holds each warp that is due; returns the eligible ones as a bit mask of ``slot // 4``."""
    forget_freezes(m, smsp, now)
    due = take_due(m, smsp, now)
    alone, passing = due & (due - 1) == 0, 0
    while due != 0:
        passing |= look_at(m, lowest(due) * NUM_SMSPS + smsp, alone, now)
        due &= due - 1
    m.smsps[smsp]["passing"] = passing
    if m.smsps[smsp]["gates"] == 0:
        return passing
    return passing | at_free_gates(m, smsp, now)


@rule
def look_at(m: Model, w: int, alone: bool, now: int) -> int:
    """Find out what holds a warp; one that is held by nothing of its own comes to its gate.

    One that comes ``alone`` in this cycle and may go in does not wait there yet: it is returned, as a bit mask.
    """
    warp = m.warps[w]
    smsp, slot = w % NUM_SMSPS, w // NUM_SMSPS
    m.wakes[smsp, slot] = NEVER
    if warp["status"] == EXITED:
        until = drained_at(m, w, now)
        if until <= now:
            retire_warp(m, w, now)
        elif warp["resolving_until"] > now:
            reason, until = resolving(m, w, now)
            set_alarm(m, smsp, slot, until)
            book(m, w, reason, now)
        else:
            book(m, w, DRAIN, now)
            set_alarm(m, smsp, slot, until)
        return 0
    if warp["gate"] >= 0:
        leave_gate(m, w, now)
    reason, until = hazard(m, w, now)
    if until > now:
        held_by(m, w, reason)
        book(m, w, reason, now)
        set_alarm(m, smsp, slot, until)
        return 0
    return enter(m, w, alone, now)


@entry
def next_look(m: Model, smsp: int, eligible: int, now: int) -> None:
    """Set when, after ``now``, in which these warps were eligible, the SMSP has something to look at again."""
    # Of several one has issued, and the next is looked at in the next cycle.
    at = now + 1 if eligible & (eligible - 1) else ask_again_at(m, smsp, NEVER)
    if at > now + 1:
        at = min(at, next_due(m, smsp, now))
    m.smsps[smsp]["wake"] = at
