"""Fetch: warps come to lines of code, by running on or by a jump, and wait for them.

An SMSP's L0 has asked for the lines ahead of a warp (``l0.py``), the SM's ICC behind it for more (``icc.py``). A jump
to a line that the L0 lacks waits for it.
Seen on the H100: microbenchmarks ``landing`` (loops) and ``fetch``; ncu's counters of requests to the ICC.
"""

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.icc import comes_to_icc, put, serve
from smsim.rules.l0 import ask_in_time, forget, have, land_ahead, miss_ahead, run_ahead_by_one
from smsim.rules.rule import rule
from smsim.state.sizes import L0, NUM_SMSPS

# A warp that runs into a line has it at once, though one that waits would have it so many cycles later; if the line has
# just come to the ICC, the warp has asked anew.
IN_TIME = 10
TOO_LATE = 13
ASKED_ANEW = 11
RUN_AHEAD = 1  # instructions that the front end is ahead of a branch
# Cycles from a landing until the line behind one that was there comes, if that one is missing.
MISSING_BEHIND = 11
ON_ITS_WAY = 3  # cycles that a landing loses at least on a line that is on its way
# A warp that waits for constants fetches anew: from then on the line behind is so many cycles away.
RESUMED = 1
# A landing loses so many cycles if a branch in a line that comes ahead is met as many behind it.
MET = 3
# A warp that runs into a line is in the way of one that lands so many cycles later.
OVERTAKEN = 7
# One that comes to its target so many cycles behind another loses a cycle more to it than others do.
UNEVEN = 3
# Cycles that the SMSP fetches less for a warp none of whose lanes part, if no branch that is always taken is there.
PLAIN = 1
FETCH_AHEAD = 56  # cycles from now on of which is known whether an SMSP will fetch for a warp that has branched


@rule
def begin(m: Model, w: int, now: int) -> None:
    """The warp comes to its first line."""
    warp, smsp = m.warps[w], w % NUM_SMSPS
    line = m.instructions[warp["pc"]]["line"]
    forget(m, w)
    comes = serve(m, line, now)
    have(m, smsp, line, now + 1, now)
    have(m, smsp, line + 1, now + 1, now)
    land_ahead(m, smsp, w, now + m.params[0]["l0_ahead"], now)
    warp["fetch_until"] = max(comes, warp["line_until"])


@rule
def fetch(m: Model, w: int, now: int) -> None:
    """The warp comes to the line of its next instruction; sets when it has it."""
    warp = m.warps[w]
    line = m.instructions[warp["pc"]]["line"]
    comes = run_into(m, w % NUM_SMSPS, w, line, now)
    hold_up_landings(m, w % NUM_SMSPS, w, now)
    warp["fetch_until"] = max(await_line(comes, now), warp["line_until"])


@rule
def run_into(m: Model, smsp: int, w: int, line: int, now: int) -> int:
    """The warp has come to a line from the one before, and its way goes on by a line; returns when the ICC has it."""
    ask_in_time(m, smsp, w, now)
    comes = comes_to_icc(m, line, now)
    have(m, smsp, line, now + 1, now)
    m.lines[smsp, L0, line] = min(m.lines[smsp, L0, line], now + 1)
    run_ahead_by_one(m, smsp, w, now + 1)
    return comes


@rule
def hold_up_landings(m: Model, smsp: int, w: int, now: int) -> None:
    """The warp runs into a line when another one's target is about to be fetched: that one lands later.

    One that has waited for another's landing does not wait once more. Seen on the H100: microbenchmarks ``overtaken``.
    """
    landing = m.smsps[smsp]["landing"]
    m.smsps[smsp]["landing"] = 0
    while landing != 0:
        slot = lowest(landing)
        landing &= landing - 1
        other = m.warps[slot * NUM_SMSPS + smsp]
        if other["lands_at"] > now + OVERTAKEN:
            m.smsps[smsp]["landing"] |= 1 << slot
        elif other["lands_at"] == now + OVERTAKEN and slot * NUM_SMSPS + smsp != w:
            other["fetch_until"] += m.params[0]["landing_wait"]
            other["line_until"] += m.params[0]["landing_wait"]


@rule
def land(m: Model, w: int, taken: bool, switches: bool, there: int, now: int) -> None:
    """The warp's branch, issued now, finds its target ``there``; sets when the warp has it, and the line behind it.

    A line that is missing comes a few instructions a cycle, the one behind it right after; one that is being brought
    is waited for. Seen on the H100: microbenchmarks ``streams``, runs, guarded rings and jumps. If it is ``taken``
    and not that of other lanes, it loses some cycles to a line that leads elsewhere: microbenchmarks ``strolls``,
    always. Behind one that lanes leave the way goes on as before: ``strolls``, parted.
    """
    warp, p = m.warps[w], m.params[0]
    smsp, line = w % NUM_SMSPS, m.instructions[warp["pc"]]["line"]
    turn = turn_to_land(m, w, there)
    leads = m.instructions[warp["pc"]]["leads_to"] >= 0
    is_plain = not (leads or switches or warp["sibling"] != 0)
    ready = fetched_in_turn(m, smsp, max(0, p["landing_interval"] - is_plain * PLAIN), turn, now)
    ask_in_time(m, smsp, w, ready)
    forget(m, w)
    comes = m.lines[smsp, L0, line]
    if comes < 0:
        before = warp["pc"] % p["line_instructions"] // p["l0_rate"]
        first = ready + p["l0_miss"]
        ready = first + before
        behind = ready + 1 + p["line_instructions"] // p["l0_rate"] - before
        put(m, smsp, L0, line, first)
        served = serve(m, line, ready)
        miss_ahead(m, smsp, w, first, ready)
    else:
        missing, second = MISSING_BEHIND, p["l0_ahead"] - 1
        if comes > ready:
            ready = max(comes + 1, ready + ON_ITS_WAY)
            m.lines[smsp, L0, line] = ready
            missing = p["l0_behind"]
        elif line_behind(m, smsp, line, -1) == -1:
            second += 1
        served = serve(m, line, ready)
        behind = max(ready + 1 + p["branch_line_end"], line_behind(m, smsp, line, ready + missing))
        if taken:
            land_ahead(m, smsp, w, ready + second, ready)
        if turn == there:
            warp["lands_at"] = ready
            m.smsps[smsp]["landing"] |= 1 << (w // NUM_SMSPS)
    late = MET if taken and not switches and warp["branch_met"] == ready + MET else 0
    warp["fetch_until"] = max(ready + late, served)
    warp["line_until"] = behind + warp["fetch_until"] - ready


@rule
def line_behind(m: Model, smsp: int, line: int, missing: int) -> int:
    """When the line behind one is there, ``missing`` if nobody has asked for it."""
    if line + 1 >= len(m.fetched):
        return 0
    brought = m.lines[smsp, L0, line + 1]
    return missing if brought < 0 else brought + 1


@rule
def resume(m: Model, w: int, at: int) -> None:
    """The warp goes on at ``at`` with what it fetches then: if that is in the next line, a cycle later.

    Seen on the H100: microbenchmarks ``resumed``.
    """
    warp = m.warps[w]
    warp["line_until"] = max(warp["line_until"], at + RESUMED)


@rule
def run_ahead(m: Model, w: int, pc: int, now: int) -> None:
    """The front end has gone on past a taken branch before it is resolved: it has come to the line behind.

    Seen on the H100: microbenchmarks ``visits``.
    """
    ahead = min(pc + RUN_AHEAD, len(m.instructions) - 1)
    line = m.instructions[ahead]["line"]
    if line != m.instructions[pc]["line"]:
        run_into(m, w % NUM_SMSPS, w, line, now)


@rule
def turn_to_land(m: Model, w: int, now: int) -> int:
    """When the target is fetched: later if another warp has just landed, by as much however many did.

    One that has waited is in the others' way for a cycle less. Seen on the H100: microbenchmarks ``landing``, once,
    and ``fetch``, warps that branch.
    """
    state, p = m.smsps[w % NUM_SMSPS], m.params[0]
    at = now
    before, came_before = state["landed"], state["came_to_land"]
    state["landed"] = state["came_to_land"] = now
    if state["landed_warp"] != w and abs(now - before) <= p["landing_busy"]:
        at += p["landing_wait"] + int(abs(now - came_before) == UNEVEN)
        state["landed"] = at - 1
    state["landed_warp"] = w
    return at


@rule
def fetched_in_turn(m: Model, smsp: int, cycles: int, there: int, now: int) -> int:
    """When the SMSP fetches, for so many cycles, for a warp that lands ``there``: one at a time, who branched first.

    Seen on the H100: microbenchmarks ``branches``, 5 to 8 warps; on an H200: ``convoys``.
    """
    state = m.smsps[smsp]
    gone = now - state["fetching_from"]
    taken = state["fetching"] >> gone if gone < FETCH_AHEAD else 0
    turn = (1 << cycles) - 1
    first = there - now
    while first < FETCH_AHEAD and (taken >> first) & turn != 0:
        first += 1
    if first < FETCH_AHEAD:
        taken |= turn << first
    state["fetching"], state["fetching_from"] = taken, now
    return now + first


@rule
def await_line(comes: int, now: int) -> int:
    """When a warp that runs into a line at ``now`` has it, which one that waits would have when it ``comes``.

    Seen on an H200: microbenchmarks ``paused``.
    """
    if comes <= now + IN_TIME:
        return now
    return now + ASKED_ANEW if comes <= now + TOO_LATE else comes
