"""The register file's write ports: each bank takes one result a cycle.

A result of the XU is written in the cycle before it is due if the port is free then. If not, the XU stands still for a
cycle, with all that it has begun; in the next one its result goes first, and what the dispatcher would have written to
that bank then goes ahead a cycle later. Where that next cycle is taken already, what is dispatched waits instead.
Seen on the H100: microbenchmarks ``slips``, rows of the XU with one other instruction between; ``compiled``, steps:
what is dispatched 5 cycles behind the start of an instruction in the XU waits where another with a result in that bank,
too, went right before it, and only there.
"""

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.result_ports import is_written, note_write
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_BANKS, NUM_BARRIERS

LAST_OF_CALENDAR = 61  # cycles from now for which writes are known
XU_PASS = 8  # cycles from one result of the XU to the next


@rule
def past_results(m: Model, smsp: int, pc: int, at: int, now: int) -> int:
    """When an instruction that is ready at ``at`` goes ahead, if results of the XU are awaited."""
    state = m.smsps[smsp]
    due, late = state["results_due"], state["results_late"]
    if due[0] | due[1] | late[0] | late[1] == 0:
        return at
    turn_results(m, smsp, now)
    while before_result(m, smsp, pc, at):
        at += 1
    return at


@rule
def before_result(m: Model, smsp: int, pc: int, at: int) -> bool:
    """Whether what would go ahead at ``at`` has to leave its port to a result: one that is late, or may not become so.

    Seen on the H100: microbenchmarks ``resumed``, FP64 and another instruction behind one of the XU.
    """
    state = m.smsps[smsp]
    due = state["results_due"]
    for bank in range(NUM_BANKS):
        cycle = written_in(m, smsp, pc, bank, at)
        if state["results_late"][bank] & cycle != 0:
            return True
        if due[bank] & cycle != 0:
            behind = state["results_from"] + lowest(cycle) + 1
            for half in range(NUM_BANKS):
                if due[half] & cycle != 0 and is_written(m, smsp, half, behind):
                    return True
    return False


@rule
def take_write_ports(m: Model, smsp: int, pc: int, at: int) -> None:
    """The instruction goes ahead at ``at``: its writes are noted, and a result of the XU due with one becomes late."""
    state = m.smsps[smsp]
    for bank in range(NUM_BANKS):
        after = m.instructions[pc]["written_after"][bank]
        if after >= 0:
            note_write(m, smsp, bank, at + after)
    due, late = state["results_due"], state["results_late"]
    if due[0] | due[1] | late[0] | late[1] == 0:
        return
    for bank in range(NUM_BANKS):
        cycle = written_in(m, smsp, pc, bank, at)
        if due[bank] & cycle != 0:
            stand_still(m, smsp, cycle)


@rule
def stand_still(m: Model, smsp: int, cycle: int) -> None:
    """A result of the XU cannot be written in that cycle, a bit of the calendar: it is late.

    Both halves of a result of 64 bits are late: microbenchmarks ``resumed``, FADDs of either bank behind an F2F. The XU
    stands still for it if what it has begun right behind has its result right behind, too; a later one is in time.
    """
    state = m.smsps[smsp]
    due, before = state["results_due"], cycle - 1
    at = state["results_from"] + lowest(cycle)
    last = last_right_behind(due[0] | due[1], cycle)
    for bank in range(NUM_BANKS):
        state["results_late"][bank] |= (due[bank] & cycle) << 1
        behind = due[bank] & (last | last - 1) & ~before & ~cycle
        due[bank] = due[bank] & ~behind & ~cycle | behind << 1
    state["xu_stalls"] |= cycle
    if last == cycle:
        return
    until = state["results_from"] + lowest(last)
    ends = (due[0] | due[1]) & ~(last << 1 | (last << 1) - 1) == 0
    if ends and state["xu_next"] > at:
        state["xu_next"] += 1
    if state["xu_done"] - 1 > at and state["xu_done"] - 1 <= until:
        state["xu_done"] += 1
        release = m.warps[state["xu_warp"]]["sb_release"]
        if state["xu_barrier"] < NUM_BARRIERS:
            release[state["xu_barrier"]] = max(release[state["xu_barrier"]], state["xu_done"])
        if state["pipe_free"][m.params[0]["xu"]] > at:
            state["pipe_free"][m.params[0]["xu"]] += 1
        if state["xu_read"] > at:
            state["xu_read"] += 1
            if state["xu_read_barrier"] < NUM_BARRIERS:
                release[state["xu_read_barrier"]] = max(release[state["xu_read_barrier"]], state["xu_read"])


@rule
def last_right_behind(results: int, cycle: int) -> int:
    """Of the XU's results, bits of the calendar, the last of those that follow a late one without a pause."""
    last = cycle
    behind = results & -(cycle << 1)
    while behind != 0 and lowest(behind) - lowest(last) <= XU_PASS:
        last = behind & -behind
        behind &= behind - 1
    return last


@rule
def in_xu(m: Model, smsp: int, pc: int, start: int, cycles: int) -> int:
    """When an instruction that the XU begins at ``start`` is so many cycles on, without those of standing still."""
    state, written = m.smsps[smsp], m.instructions[pc]["written_after"]
    stalls = state["xu_stalls"]
    at, result = start + cycles, start + max(written[0], written[1]) - 1
    while stalls != 0:
        stall = state["results_from"] + lowest(stalls)
        stalls &= stalls - 1
        if start <= stall and result - stall <= XU_PASS:
            result += 1
            if stall < at:
                at += 1
    return at


@rule
def await_result(m: Model, smsp: int, pc: int, at: int, now: int) -> None:
    """The XU begins with an instruction at ``at``: when its results are due."""
    turn_results(m, smsp, now)
    for bank in range(NUM_BANKS):
        after = m.instructions[pc]["written_after"][bank]
        if after > 0:
            cycle = in_xu(m, smsp, pc, at, after - 1) - m.smsps[smsp]["results_from"]
            if cycle <= LAST_OF_CALENDAR:
                m.smsps[smsp]["results_due"][bank] |= 1 << cycle


@rule
def turn_results(m: Model, smsp: int, now: int) -> None:
    """The calendar of results begins now; it is turned only where it is looked at."""
    state = m.smsps[smsp]
    past = min(now - state["results_from"], LAST_OF_CALENDAR + 1)
    for bank in range(NUM_BANKS):
        state["results_due"][bank] >>= past
        state["results_late"][bank] >>= past
    state["xu_stalls"] >>= past
    state["results_from"] = now


@rule
def written_in(m: Model, smsp: int, pc: int, bank: int, at: int) -> int:
    """When a bank is written by what goes ahead at ``at``: a bit of the calendar, 0 if it is not, or too far ahead."""
    after = m.instructions[pc]["written_after"][bank]
    cycle = at + after - m.smsps[smsp]["results_from"]
    return 1 << cycle if after >= 0 and cycle <= LAST_OF_CALENDAR else 0
