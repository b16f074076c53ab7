"""When an SMSP's warps are looked at again: those of the next cycles by cycle, as bit masks of ``slot // 4``.

So a cycle finds its warps without a look at the times of all.
"""

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.rule import rule
from smsim.state.sizes import ALARMS, NEVER

CALENDAR = ALARMS - 1  # mask of a cycle's place


@rule
def set_alarm(m: Model, smsp: int, slot: int, at: int) -> None:
    """The warp is looked at again at ``at``, and not before."""
    state, wakes = m.smsps[smsp], m.wakes[smsp]
    if wakes[slot] < NEVER:
        before = max(wakes[slot] - state["looked"], 1)
        if before < ALARMS:
            state["alarms"][state["looked"] + before & CALENDAR] &= ~(1 << slot)
    wakes[slot] = at
    ahead = max(at - state["looked"], 1)
    if ahead < ALARMS:
        state["alarms"][state["looked"] + ahead & CALENDAR] |= 1 << slot
        state["pending"] |= 1 << ahead
    else:
        state["later"] = min(state["later"], at)


@rule
def take_due(m: Model, smsp: int, now: int) -> int:
    """The warps that are looked at now: all whose time has come."""
    state = m.smsps[smsp]
    state["pending"] = state["pending"] >> min(now - state["looked"], ALARMS) & ~1
    state["looked"] = now
    due = state["alarms"][now & CALENDAR]
    state["alarms"][now & CALENDAR] = 0
    if state["later"] <= now:
        state["later"] = NEVER
        for slot in range(m.wakes.shape[1]):
            at = m.wakes[smsp, slot]
            if at <= now:
                due |= 1 << slot
            elif at < now + ALARMS:
                state["alarms"][at & CALENDAR] |= 1 << slot
                state["pending"] |= 1 << at - now
            else:
                state["later"] = min(state["later"], at)
    return due


@rule
def next_due(m: Model, smsp: int, now: int) -> int:
    """The first cycle behind now, in which the SMSP has looked, in which a warp may be due."""
    state = m.smsps[smsp]
    if state["pending"] != 0:
        return min(state["later"], now + lowest(state["pending"]))
    return state["later"]


@rule
def forget_alarms(m: Model, smsp: int) -> None:
    """Only the warps' times say when they are looked at."""
    state = m.smsps[smsp]
    state["pending"] = 0
    state["later"] = NEVER
    for at in range(ALARMS):
        state["alarms"][at] = 0
    for slot in range(m.wakes.shape[1]):
        state["later"] = min(state["later"], m.wakes[smsp, slot])
