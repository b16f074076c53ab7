"""What the SM's cache of code holds when a launch begins: what the same launch just before left there.

The SMSPs' own, L0, begin empty. Seen on the H100: in the first turn of compiled loops each line that is jumped to comes
later by what ``visits`` shows for one that the L0 lacks.
"""

from smsim.model import Model
from smsim.rules.icc import WHOLE_SM, serve
from smsim.rules.l0 import AHEAD
from smsim.rules.rule import entry, rule
from smsim.state.sizes import ICC, NUM_SMSPS


@entry
def leave_code(m: Model) -> None:
    """Fetch what the warps run, those of an SMSP one after the other, each loop once."""
    for number in range(len(m.traced_warps)):
        before = number - NUM_SMSPS
        if before < 0 or m.traced_warps[number]["first_step"] != m.traced_warps[before]["first_step"]:
            walk(m, number)
    for line in range(len(m.fetched)):
        m.lines[WHOLE_SM, ICC, line] = min(m.lines[WHOLE_SM, ICC, line], 0)


@rule
def walk(m: Model, trace_warp: int) -> None:
    """Fetch each line that a warp comes to."""
    warp = m.traced_warps[trace_warp]
    line = -1
    for step in range(warp["first_step"], warp["end_step"]):
        for number in range(m.steps[step]["first_run"], m.steps[step]["end_run"]):
            run = m.runs[number]
            for pc in range(run["start"], run["start"] + run["length"]):
                if m.instructions[pc]["line"] != line:
                    line = m.instructions[pc]["line"]
                    for ahead in range(1 + AHEAD):
                        serve(m, line + ahead, 0)
