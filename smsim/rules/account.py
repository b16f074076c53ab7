"""Every resident warp-cycle goes to exactly one reason: intervals are booked when the reason changes."""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.alarms import set_alarm
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_SMSPS

SELECTED = int(Reason.SELECTED)


@rule
def book(m: Model, w: int, reason: int, now: int) -> None:
    """From ``now`` on the warp is held back by ``reason``; what came before is booked."""
    warp = m.warps[w]
    since = warp["since"]
    if now > since:
        if warp["shown_until"] > since:
            end = min(now, warp["shown_until"])
            m.warp_cycles[w % NUM_SMSPS, warp["shown"], warp["reason"]] += end - since
            since = end
        m.warp_cycles[w % NUM_SMSPS, warp["pc"], warp["reason"]] += now - since
        warp["since"] = now
    warp["reason"] = reason


@rule
def book_issue(m: Model, w: int, now: int) -> None:
    """The warp issues in this cycle; all cycles before are booked."""
    warp = m.warps[w]
    warp["reason"] = SELECTED
    m.warp_cycles[w % NUM_SMSPS, warp["pc"], SELECTED] += 1
    warp["since"] = now + 1


@rule
def wake(m: Model, w: int, at: int) -> None:
    """Have the warp looked at again at ``at``, or earlier if it is due earlier."""
    smsp, slot = w % NUM_SMSPS, w // NUM_SMSPS
    if at < m.wakes[smsp, slot]:
        set_alarm(m, smsp, slot, at)
    m.smsps[smsp]["wake"] = min(m.smsps[smsp]["wake"], at)
