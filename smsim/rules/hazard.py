"""The ladder: why a warp cannot issue in this cycle, the first reason that holds, and until when.

The upper rungs are the warp's own; on the lowest it waits with others for the gate of its next instruction.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.bits import lowest
from smsim.rules.constants import FETCHED_AGAIN, constants_until
from smsim.rules.dispatch import dispatcher_free, reached_at, turn_of
from smsim.rules.pipes import pipe_free
from smsim.rules.result_ports import await_port
from smsim.rules.rule import rule
from smsim.rules.scoreboard import await_stores, counts_one_more
from smsim.state.sizes import (
    ADU_QUEUE,
    BUSY,
    FIRST_PIPE,
    FREE,
    FULL,
    HELD,
    LG_GATE,
    MIO_QUEUE,
    NEVER,
    NUM_GATES,
    NUM_SMSPS,
    XU_QUEUE,
)

ELIGIBLE = int(Reason.SELECTED)
BARRIER = int(Reason.BARRIER)
WAIT = int(Reason.WAIT)
NOT_SELECTED = int(Reason.NOT_SELECTED)
NO_INSTRUCTION = int(Reason.NO_INSTRUCTION)
BRANCH_RESOLVING = int(Reason.BRANCH_RESOLVING)
DISPATCH_STALL = int(Reason.DISPATCH_STALL)
IMC_MISS = int(Reason.IMC_MISS)
MATH_PIPE_THROTTLE = int(Reason.MATH_PIPE_THROTTLE)
MIO_THROTTLE = int(Reason.MIO_THROTTLE)
LG_THROTTLE = int(Reason.LG_THROTTLE)
MISC = int(Reason.MISC)

# Of the cycles in which an instruction that missed constants is fetched again the last ones count as wait.
DECODED_AGAIN = 5


@rule
def hazard(m: Model, w: int, now: int) -> tuple[int, int]:
    """What in the warp itself stalls it in cycle ``now``, and the cycle until which that holds if nothing else happens.

    ``Reason.SELECTED`` stands for nothing. ``NEVER`` means that another unit will wake the warp.
    """
    warp = m.warps[w]
    if warp["stopped_until"] > now:
        return warp["stopped_by"], warp["stopped_until"]
    if warp["resolving_until"] > now:
        return resolving(m, w, now)
    held = warp["barrier_until"] > now and m.instructions[warp["pc"]]["held_by_barrier"]
    if held and warp["barrier_from"] <= now:
        return BARRIER, warp["barrier_until"]
    if warp["stall_until"] > now:
        return WAIT, min(warp["stall_until"], warp["barrier_from"]) if held else warp["stall_until"]
    if held:
        return BARRIER, warp["barrier_until"]
    if warp["fetch_until"] > now:
        return NO_INSTRUCTION, warp["fetch_until"]
    if not m.instructions[warp["pc"]]["awaits_operands"]:
        return ELIGIBLE, now
    reason, until = scoreboard(m, w, now)
    if until > now:
        return reason, until
    until = constants_until(m, w, now)
    if until > now:
        return missing(until, now)
    if m.instructions[warp["pc"]]["fills_barriers"]:
        until = counts_one_more(m, w, warp["pc"], now)
        if until > now:
            return MISC, until
    if warp["results_until"] > now and m.instructions[warp["pc"]]["awaits_results"]:
        ready, free = operands_ready(m, w), dispatcher_free(m, w % NUM_SMSPS, now)
        if ready > reached_at(m, w % NUM_SMSPS, free):
            return WAIT, free + max(1, ready - turn_of(m, w % NUM_SMSPS, free))
    return ELIGIBLE, now


@rule
def missing(until: int, now: int) -> tuple[int, int]:
    """The constants come in time for ``until``; at the end of it the warp fetches its instruction once more.

    Seen on the H100: ncu's counters of rows of ULDC that each touch another line.
    """
    if until - FETCHED_AGAIN > now:
        return IMC_MISS, until - FETCHED_AGAIN
    if until - DECODED_AGAIN > now:
        return NO_INSTRUCTION, until - DECODED_AGAIN
    return WAIT, until


@rule
def resolving(m: Model, w: int, now: int) -> tuple[int, int]:
    """A branch is on its way to be resolved, then it is, whatever its stall count.

    Seen on the H100: ncu's counters of rows of branches; stall counts of 5 to 10.
    """
    warp = m.warps[w]
    if warp["resolving_from"] > now:
        return WAIT, warp["resolving_from"]
    return BRANCH_RESOLVING, warp["resolving_until"]


@rule
def scoreboard(m: Model, w: int, now: int) -> tuple[int, int]:
    """The barriers of the wait mask; of several that are not at zero, the one that is released last gives the word."""
    warp = m.warps[w]
    mask = m.instructions[warp["pc"]]["wait_mask"]
    reason, until = ELIGIBLE, now
    while mask != 0:
        b = lowest(mask)
        mask &= mask - 1
        if warp["sb_pending"][b] > 0:
            return warp["sb_reason"][b], NEVER
        if warp["sb_release"][b] <= now:
            await_stores(m, w, b)
            await_port(m, w, b, now)
        if warp["sb_release"][b] > until:
            reason, until = warp["sb_reason"][b], warp["sb_release"][b]
    return reason, until


@rule
def operands_ready(m: Model, w: int) -> int:
    """When fixed-latency results reach this instruction.

    The compiler's stall counts keep these distances on the machine that they were made for; this interlock acts where a
    latency was raised.
    """
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    ready = 0
    reader = code["reader_class"]
    for i in range(code["reads_from"], code["writes_from"]):
        result = m.results[w, m.places[i]]
        if result["writer"] >= 0:
            detour = m.params[0]["forwarding"][result["writer"], reader] if reader >= 0 else 0
            if m.registers[i] == code["late_register"]:
                detour -= code["second_pass"]
            ready = max(ready, result["ready"] + detour)
    return ready


@rule
def structural(m: Model, smsp: int, gate: int, now: int) -> tuple[int, int]:
    """What a gate says to the warps that want to go in, FREE, HELD or BUSY, and until when it does."""
    if gate < FIRST_PIPE:
        free = place_free(m, smsp, MIO_QUEUE if gate == LG_GATE else gate, now)
        if gate == LG_GATE and is_place_of_others(m, smsp, now):
            free = now + 1
        if free > now:
            is_shared = gate == LG_GATE and m.smsps[smsp]["lg_count"] < m.smsps[smsp]["queue_count"][MIO_QUEUE]
            return (FULL if is_shared else BUSY), free
    if FIRST_PIPE <= gate < NUM_GATES - 1:
        free = pipe_free(m, smsp, gate - FIRST_PIPE)
        if free > now:
            return BUSY, free
    free = dispatcher_free(m, smsp, now)
    if free > now:
        return HELD, free
    return FREE, now + 1


@rule
def is_place_of_others(m: Model, smsp: int, now: int) -> bool:
    """Whether the place that an access to L1TEX leaves in this cycle, of a queue that such have filled, is for others.

    It comes back to accesses to L1TEX a cycle later than to those.
    Seen on the H100: microbenchmarks ``admitted`` and ``pending``, rows of shuffles behind loads that wait.
    """
    state = m.smsps[smsp]
    filled = state["lg_left"] == now and state["lg_count"] == m.params[0]["queue_depth"][MIO_QUEUE] - 1
    return filled and m.gates[smsp, MIO_QUEUE]["warps"] != 0


@rule
def reason_at(gate: int, answer: int) -> int:
    """The stall reason of a warp to which a gate says so."""
    if answer == FREE:
        return NOT_SELECTED
    if answer == HELD:
        return DISPATCH_STALL
    if gate >= FIRST_PIPE:
        return MATH_PIPE_THROTTLE
    return LG_THROTTLE if gate == LG_GATE and answer == BUSY else MIO_THROTTLE


@rule
def place_free(m: Model, smsp: int, queue: int, now: int) -> int:
    """When the queue has a place, ``NEVER`` until its head leaves; the XU's counts the instruction being executed."""
    places = m.params[0]["queue_depth"][queue] - m.smsps[smsp]["queue_count"][queue]
    if queue == ADU_QUEUE and places > 0:
        return place_back(m, smsp, places, now)
    if places <= 0:
        return NEVER
    if queue == XU_QUEUE and places == 1:
        return max(now, m.smsps[smsp]["pipe_free"][m.params[0]["xu"]])
    return now


@rule
def place_back(m: Model, smsp: int, places: int, now: int) -> int:
    """When one of so many places that instructions have left in the ADU's queue is free."""
    back = m.smsps[smsp]["adu_back"]
    return max(now, back[len(back) - places]) if places <= len(back) else now
