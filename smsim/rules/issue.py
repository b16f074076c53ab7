"""Issue: the picked warp's instruction leaves for its unit, and the warp moves on."""

from smsim.code import BARRIER, BRANCH, EXIT, FIXED, SLEEP, XU
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import book_issue
from smsim.rules.alarms import set_alarm
from smsim.rules.barriers import stand
from smsim.rules.branches import branch, fetch_next, name_lanes, resolve, show_next
from smsim.rules.certain_hits import doubt
from smsim.rules.convergence import turn
from smsim.rules.copies import await_groups
from smsim.rules.cursor import advance
from smsim.rules.dispatch import after, branch_reached_at, dispatch, reached_at, read_for_xu, stall, turn_of
from smsim.rules.exits import exit_warp
from smsim.rules.fences import begin_fence
from smsim.rules.gates import find_queue, go_in
from smsim.rules.hazard import hazard
from smsim.rules.issue_counts import note_issue
from smsim.rules.mio import enqueue
from smsim.rules.pipes import occupy
from smsim.rules.rule import entry, rule
from smsim.rules.scoreboard import raise_barriers, release_barrier
from smsim.rules.tags import empty_l1
from smsim.rules.turns import held_by, take_turn
from smsim.state.sizes import NEVER, NUM_SMSPS

SHORT_SCOREBOARD = int(Reason.SHORT_SCOREBOARD)
SLEEPING = int(Reason.SLEEPING)


@entry
def issue(m: Model, w: int, now: int) -> None:
    """The warp issues its instruction in cycle ``now``."""
    warp = m.warps[w]
    pc, smsp = warp["pc"], w % NUM_SMSPS
    code = m.instructions[pc]
    at = branch_reached_at(m, smsp, now) if code["unit"] == BRANCH else reached_at(m, smsp, now)
    go_in(m, w, now)
    book_issue(m, w, now)
    m.smsps[smsp]["thread_instructions"] += warp["lanes"]
    stall(m, w, after(m, smsp, code["stall"], now))
    m.turns[smsp, w // NUM_SMSPS] = now
    note_issue(m, smsp, w // NUM_SMSPS, now)
    take_turn(m, w, code["yields"])
    stands_at, masks, sent = -1, 0, at
    if code["unit"] == FIXED:
        hold(m, w, pc, at, now)
    elif code["queue"] >= 0:
        sent = turn_of(m, smsp, now)
        if code["unit"] == XU:
            read_for_xu(m, smsp, pc if warp["mask"] != 0 else code["unexecuted"], warp["mask"] != 0, sent, now)
    if warp["mask"] != 0:
        if code["acts"]:
            execute(m, w, pc, sent)
        if code["records_access"]:
            if code["unit"] == BARRIER:
                stands_at = -1 if code["is_barrier_arrive"] else warp["access"]
            elif code["names_lanes"]:
                masks = m.accesses[warp["access"]]["line"]
            warp["access"] += 1
    elif code["unexecuted"] >= 0:
        enqueue(m, w, code["unexecuted"], sent)
    m.smsps[smsp]["last_warp"] = w
    lanes = warp["mask"]
    if not advance(m, w):
        show_next(m, w, pc, NEVER)
        resolve(m, w, m.params[0]["branch_started"] + m.params[0]["exit_resolving"], at)
        warp["stopped_until"] = at + m.params[0]["exit"]
        exit_warp(m, w, at)
        set_alarm(m, smsp, w // NUM_SMSPS, now + 1)
        return
    there = -1
    if code["unit"] == BRANCH or code["unit"] == EXIT:
        there = branch(m, w, pc, lanes, at)
        if masks > 0 and there < 0:
            name_lanes(m, w, pc, masks, at)
    fetch_next(m, w, pc, there, at, now)
    if stands_at >= 0:
        stand(m, w, stands_at, at)
    look_ahead(m, w, now)


@rule
def look_ahead(m: Model, w: int, now: int) -> None:
    """What holds the warp in the next cycle; whatever changes that until then will wake it."""
    reason, until = hazard(m, w, now + 1)
    held_by(m, w, reason)
    m.warps[w]["reason"] = reason  # since the next cycle, as ``book_issue`` has set
    set_alarm(m, w % NUM_SMSPS, w // NUM_SMSPS, until)
    find_queue(m, w, now + 1)


@rule
def hold(m: Model, w: int, pc: int, reached: int, now: int) -> None:
    """The instruction goes through the dispatcher, where it is at ``reached``, to its pipe.

    The reuse cache belongs to the SMSP: it is of use only when the warp also issued last.
    """
    warp = m.warps[w]
    code = m.instructions[pc]
    smsp = w % NUM_SMSPS
    # The second pass is among the cycles of the pipe; issue does not see it before it stops for it.
    interval = code["interval"] - code["second_pass"]
    if code["sm_interval"] > 0:
        interval += turn(m, code["sm_interval"], now)
    occupy(m, smsp, code["pipe"], after(m, smsp, interval, now), now)
    at = dispatch(m, w, pc, m.smsps[smsp]["last_warp"] == w, reached, now)
    if warp["mask"] != 0 and code["is_awaited"]:
        write_results(m, w, pc, at)


@rule
def write_results(m: Model, w: int, pc: int, at: int) -> None:
    """When the results of an instruction of fixed latency, dispatched at ``at``, reach their readers.

    The first of two passes gives the lower register: microbenchmarks ``mixes``, readers behind IMAD.WIDE.lo and .hi.
    """
    warp, code = m.warps[w], m.instructions[pc]
    for i in range(code["writes_from"], code["registers_end"]):
        result = m.results[w, m.places[i]]
        result["ready"], result["writer"] = at + code["latency"], code["writer_class"]
    if code["second_pass"] > 0 and code["registers_end"] - code["writes_from"] > 1:
        m.results[w, m.places[code["writes_from"]]]["ready"] -= code["second_pass"]
    warp["results_until"] = max(warp["results_until"], at + code["reach"])


@rule
def execute(m: Model, w: int, pc: int, now: int) -> None:
    """What the instruction does to the units; where its guard is false in every lane :mod:`smsim.unexecuted`."""
    warp = m.warps[w]
    code = m.instructions[pc]
    if code["is_fence"]:
        begin_fence(m, w, pc, now)
    if code["queue"] >= 0:
        enqueue(m, w, pc, now)
        return
    raise_barriers(m, w, pc, SHORT_SCOREBOARD, SHORT_SCOREBOARD, now)
    if code["awaits_groups"]:
        await_groups(m, w, code["immediate"], now)
    elif code["empties_l1"]:
        empty_l1(m)
        doubt(m)
    elif code["unit"] == SLEEP:
        warp["stopped_until"] = now + code["latency"] + int(code["immediate"] * m.params[0]["clock_mhz"] / 1000)
        warp["stopped_by"] = SLEEPING
    release_barrier(m, w, code["read_barrier"], now + code["read_latency"])
    release_barrier(m, w, code["write_barrier"], now + code["latency"])
