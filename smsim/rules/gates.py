"""Gates: the queue, the pipe or the dispatcher, before which a warp waits that nothing of its own holds back.

To all that wait at a gate it says the same, so they are looked at together and their cycles are counted by the gate's
clocks, one for each refusal; a warp that leaves is booked what they have gone on since it came, and the rest of
its time as not selected.
"""

from smsim.model import Model
from smsim.rules.account import SELECTED, book
from smsim.rules.alarms import forget_alarms, set_alarm
from smsim.rules.bits import lowest
from smsim.rules.hazard import NOT_SELECTED, reason_at, structural
from smsim.rules.rule import entry, rule
from smsim.rules.turns import give_way
from smsim.rules.write_ports import turn_results
from smsim.state.sizes import BUSY, EMPTY, FIRST_PIPE, FREE, HELD, NUM_GATES, NUM_REFUSALS, NUM_SMSPS


@rule
def enter(m: Model, w: int, alone: bool, now: int) -> int:
    """The warp comes to the gate of its next instruction; ``alone``, it does not wait before a pipe that is free.

    Returns whether it may go in so, as a bit mask of ``slot // 4``.
    """
    warp = m.warps[w]
    smsp, slot = w % NUM_SMSPS, w // NUM_SMSPS
    number = m.instructions[warp["pc"]]["gate"]
    answer, until = structural(m, smsp, number, now)
    if alone and answer == FREE and (m.smsps[smsp]["gates"] == 0 or may_pass(m, w, number, now)):
        return 1 << slot
    come(m, w, number, answer, until, now)
    return 0


@rule
def may_pass(m: Model, w: int, number: int, now: int) -> bool:
    """Whether a warp does not wait at a gate that is free: nobody does, or it has its turn and will hardly have to."""
    state, gate = m.smsps[w % NUM_SMSPS], m.gates[w % NUM_SMSPS, number]
    if number < FIRST_PIPE or gate["warps"] == 0:
        return number >= FIRST_PIPE
    has_turn = state["last_warp"] == w and state["gave_way"] >> (w // NUM_SMSPS) & 1 == 0
    return has_turn and gate["until"] <= now


@rule
def come(m: Model, w: int, number: int, answer: int, until: int, now: int) -> None:
    """The warp comes to a gate that gives an answer until then, and waits there."""
    warp = m.warps[w]
    smsp, slot = w % NUM_SMSPS, w // NUM_SMSPS
    gate = m.gates[smsp, number]
    if gate["warps"] == 0:
        gate["since"] = now
        gate["answer"], gate["until"] = answer, until
        m.smsps[smsp]["gates"] |= 1 << number
    elif gate["until"] <= now:
        hear(m, smsp, number, answer, until, now)
    elif number >= FIRST_PIPE and until != gate["until"]:
        # Those who came before a pipe or the dispatcher was taken once more stay with what they were told.
        book(m, w, reason_at(number, answer), now)
        set_alarm(m, smsp, slot, until)
        return
    else:
        hear(m, smsp, number, answer, min(until, gate["until"]), now)
    book(m, w, reason_at(number, answer), now)
    gate["warps"] |= 1 << slot
    warp["gate"] = number
    for refusal in range(NUM_REFUSALS):
        warp["clocks"][refusal] = gate["waited"][refusal]


@rule
def go_in(m: Model, w: int, now: int) -> None:
    """The warp issues; one that could have gone in without waiting comes to its gate instead."""
    smsp = w % NUM_SMSPS
    passing = m.smsps[smsp]["passing"]
    if passing >> (w // NUM_SMSPS) & 1:
        book(m, w, SELECTED, now)
        return
    if passing != 0:
        passed_over = lowest(passing) * NUM_SMSPS + smsp
        come(m, passed_over, m.instructions[m.warps[passed_over]["pc"]]["gate"], FREE, now + 1, now)
    leave_gate(m, w, now)


@rule
def finds_full(m: Model, w: int, now: int) -> bool:
    """Whether the queue of the warp's next instruction has no place."""
    number = m.instructions[m.warps[w]["pc"]]["gate"]
    if number >= FIRST_PIPE:
        return False
    answer, _ = structural(m, w % NUM_SMSPS, number, now)
    return answer >= BUSY


@rule
def find_queue(m: Model, w: int, now: int) -> None:
    """A cycle behind its last issue, ``now``, the warp gives way if the queue of its next instruction is full then.

    If there is a place then it keeps its turn, and goes first once its stall count is over, though others take all
    places meanwhile. Seen on an H200: microbenchmarks ``found``, ``started``.
    """
    state = m.smsps[w % NUM_SMSPS]
    keeps_turn = state["gave_way"] >> (w // NUM_SMSPS) & 1 == 0
    state["found_full"] = int(keeps_turn and finds_full(m, w, now))
    if state["found_full"]:
        give_way(m, w)


@rule
def hear(m: Model, smsp: int, number: int, answer: int, until: int, now: int) -> None:
    """From now on the gate gives this answer."""
    go_on(m, smsp, number, now)
    gate = m.gates[smsp, number]
    gate["answer"], gate["until"] = answer, until


@rule
def go_on(m: Model, smsp: int, number: int, now: int) -> None:
    """A gate's clocks go on to now."""
    gate = m.gates[smsp, number]
    if gate["answer"] != FREE:
        gate["waited"][gate["answer"] - HELD] += now - gate["since"]
        gate["refused"] = now
    gate["since"] = now


@rule
def leave_gate(m: Model, w: int, now: int) -> None:
    """The warp waits at its gate no more; its cycles there are booked."""
    warp = m.warps[w]
    smsp, number = w % NUM_SMSPS, warp["gate"]
    gate = m.gates[smsp, number]
    book_waiting(m, w, now)
    warp["gate"] = -1
    gate["warps"] &= ~(1 << (w // NUM_SMSPS))
    if gate["warps"] == 0:
        m.smsps[smsp]["gates"] &= ~(1 << number)


@rule
def book_waiting(m: Model, w: int, now: int) -> None:
    """What the warp has waited at its gate is booked: where it has not been refused since it came, as not selected."""
    warp = m.warps[w]
    smsp, number = w % NUM_SMSPS, warp["gate"]
    gate = m.gates[smsp, number]
    go_on(m, smsp, number, now)
    free = now - warp["since"]
    if gate["refused"] > warp["since"]:
        for refusal in range(NUM_REFUSALS):
            waited = gate["waited"][refusal] - warp["clocks"][refusal]
            m.warp_cycles[smsp, warp["pc"], reason_at(number, HELD + refusal)] += waited
            free -= waited
    m.warp_cycles[smsp, warp["pc"], NOT_SELECTED] += free
    warp["since"] = now


@entry
def settle(m: Model, smsp: int, now: int) -> None:
    """Book what an SMSP's warps have waited for until now, set its gates' clocks to 0, forget the past in calendars."""
    for w in range(smsp, len(m.warps), NUM_SMSPS):
        warp = m.warps[w]
        if warp["status"] == EMPTY:
            continue
        if warp["gate"] >= 0:
            book_waiting(m, w, now)
        else:
            book(m, w, warp["reason"], now)
        warp["clocks"][:] = 0
    turn_results(m, smsp, now)
    forget_alarms(m, smsp)
    for number in range(NUM_GATES):
        gate = m.gates[smsp, number]
        if gate["warps"] == 0:
            # Nobody hears it: what it said last is of no account.
            gate["answer"] = FREE
            gate["until"] = 0
        gate["since"], gate["refused"] = now, now
        gate["waited"][:] = 0


@rule
def at_free_gates(m: Model, smsp: int, now: int) -> int:
    """The warps that may go in, as a bit mask of ``slot // 4``."""
    eligible = 0
    gates = m.smsps[smsp]["gates"]
    while gates != 0:
        number = lowest(gates)
        gates &= gates - 1
        gate = m.gates[smsp, number]
        if gate["until"] <= now:
            answer, until = structural(m, smsp, number, now)
            hear(m, smsp, number, answer, until, now)
        if gate["answer"] == FREE:
            eligible |= gate["warps"]
    return eligible


@rule
def ask_again_at(m: Model, smsp: int, at: int) -> int:
    """The first cycle, ``at`` at the latest, in which a gate is asked again."""
    gates = m.smsps[smsp]["gates"]
    while gates != 0:
        at = min(at, m.gates[smsp, lowest(gates)]["until"])
        gates &= gates - 1
    return at


@rule
def open_gate(m: Model, smsp: int, number: int, now: int) -> None:
    """A place may be free: those who wait at the gate ask again."""
    state = m.smsps[smsp]
    if state["found_full"] and state["issued_at"] == now - 1 and not finds_full(m, state["last_warp"], now):
        state["found_full"] = 0
        state["gave_way"] &= ~(1 << (state["last_warp"] // NUM_SMSPS))
    if state["gates"] >> number & 1 and m.gates[smsp, number]["answer"] >= BUSY:
        m.gates[smsp, number]["until"] = min(m.gates[smsp, number]["until"], now)
        state["wake"] = min(state["wake"], now)
