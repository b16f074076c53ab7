"""The register file's write ports: each bank takes one result a cycle.

A result of the XU is written in the cycle before it is due if the port is free then. If not it goes first when it is
due, and what the dispatcher would have written to that bank in that cycle goes ahead a cycle later.
Seen on the H100: microbenchmarks ``compiled``, steps: what is dispatched 5 cycles behind the start of an instruction in
the XU waits where another with a result in that bank, too, went right before it, and only there.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NUM_BANKS

LAST_OF_CALENDAR = 62  # cycles from now for which writes are known


@rule
def past_results(m: Model, smsp: int, pc: int, at: int, now: int) -> int:
    """When an instruction that is ready at ``at`` goes ahead, if results of the XU are awaited."""
    due = m.smsps[smsp]["results_due"]
    if due[0] | due[1] == 0:
        return at
    turn_results(m, smsp, now)
    if due[0] | due[1] == 0:
        return at
    state = m.smsps[smsp]
    for bank in range(NUM_BANKS):
        cycle = written_in(m, smsp, pc, bank, at)
        if due[bank] & cycle != 0 and state["written"][bank] & cycle >> 1 != 0:
            at += 1
    for bank in range(NUM_BANKS):
        state["written"][bank] |= written_in(m, smsp, pc, bank, at)
    return at


@rule
def await_result(m: Model, smsp: int, pc: int, at: int, now: int) -> None:
    """The XU begins with an instruction at ``at``: when its results are due."""
    turn_results(m, smsp, now)
    for bank in range(NUM_BANKS):
        m.smsps[smsp]["results_due"][bank] |= written_in(m, smsp, pc, bank, at)


@rule
def turn_results(m: Model, smsp: int, now: int) -> None:
    """The calendar of results begins now; it is turned only where it is looked at."""
    state = m.smsps[smsp]
    past = min(now - state["results_from"], LAST_OF_CALENDAR + 1)
    for bank in range(NUM_BANKS):
        state["written"][bank] >>= past
        state["results_due"][bank] >>= past
    state["results_from"] = now


@rule
def written_in(m: Model, smsp: int, pc: int, bank: int, at: int) -> int:
    """When a bank is written by what goes ahead at ``at``: a bit of the calendar, 0 if it is not, or too far ahead."""
    after = m.instructions[pc]["written_after"][bank]
    cycle = at + after - m.smsps[smsp]["results_from"]
    return 1 << cycle if after >= 0 and cycle <= LAST_OF_CALENDAR else 0
