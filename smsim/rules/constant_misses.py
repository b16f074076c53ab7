"""Instructions that are issued and miss their constants: they have taken the cycle, and are issued again.

Seen on the H100: microbenchmarks ``constants/ULDC, warps together`` and ``FFMA.CONST``, clocks three cycles apart
before touches that miss, as before LDCs.
"""

from smsim.model import Model
from smsim.rules.account import book
from smsim.rules.alarms import set_alarm
from smsim.rules.constants import constants_there
from smsim.rules.gates import go_in
from smsim.rules.hazard import hazard
from smsim.rules.issue_counts import note_issue
from smsim.rules.rule import entry
from smsim.state.sizes import NUM_SMSPS


@entry
def misses_constants(m: Model, w: int, now: int) -> bool:
    """Whether the instruction of the picked warp misses its constants; if so the warp waits for them from now on."""
    there = constants_there(m, w, now)
    if there <= now:
        return False
    smsp, slot = w % NUM_SMSPS, w // NUM_SMSPS
    go_in(m, w, now)
    note_issue(m, smsp, slot, now)
    m.smsps[smsp]["last_warp"] = w
    m.warps[w]["constant_until"] = there
    m.smsps[smsp]["awaits_constants"] |= 1 << slot
    reason, until = hazard(m, w, now)
    book(m, w, reason, now)
    set_alarm(m, smsp, slot, until)
    return True
