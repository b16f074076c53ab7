"""The ladder: why a warp cannot issue in this cycle, the first reason that holds, and until when."""

from smsim.code import BRANCH, FIXED
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.pipes import pipe_free
from smsim.rules.register_file import dispatcher_free
from smsim.rules.rule import rule
from smsim.state import LG_QUEUE, NEVER, NUM_BARRIERS, XU_QUEUE

ELIGIBLE = int(Reason.SELECTED)
WAIT = int(Reason.WAIT)
NO_INSTRUCTION = int(Reason.NO_INSTRUCTION)
BRANCH_RESOLVING = int(Reason.BRANCH_RESOLVING)
DISPATCH_STALL = int(Reason.DISPATCH_STALL)
IMC_MISS = int(Reason.IMC_MISS)
MATH_PIPE_THROTTLE = int(Reason.MATH_PIPE_THROTTLE)
MIO_THROTTLE = int(Reason.MIO_THROTTLE)
LG_THROTTLE = int(Reason.LG_THROTTLE)


@rule
def hazard(m: Model, w: int, now: int) -> tuple[int, int]:
    """The warp's stall reason in cycle ``now`` and the cycle until which it holds if nothing else happens.

    ``Reason.SELECTED`` stands for eligible. ``NEVER`` means that another unit will wake the warp.
    """
    warp = m.warps[w]
    if warp["stopped_until"] > now:
        return warp["stopped_by"], warp["stopped_until"]
    if warp["resolving_until"] > now:
        return BRANCH_RESOLVING, warp["resolving_until"]
    if warp["stall_until"] > now:
        return WAIT, warp["stall_until"]
    if warp["held_until"] > now:
        return DISPATCH_STALL, warp["held_until"]
    if warp["fetch_until"] > now:
        return NO_INSTRUCTION, warp["fetch_until"]
    reason, until = scoreboard(m, w, now)
    if until > now:
        return reason, until
    if warp["constant_until"] > now:
        return IMC_MISS, warp["constant_until"]
    ready = operands_ready(m, w)
    if ready > now:
        return WAIT, ready
    return structural(m, w, now)


@rule
def scoreboard(m: Model, w: int, now: int) -> tuple[int, int]:
    """The barriers of the wait mask; of several that are not at zero, the one that is released last gives the word."""
    warp = m.warps[w]
    mask = m.instructions[warp["pc"]]["wait_mask"]
    reason, until = ELIGIBLE, now
    for b in range(NUM_BARRIERS):
        if (mask >> b) & 1:
            if warp["sb_pending"][b] > 0:
                return warp["sb_reason"][b], NEVER
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
        slot = m.registers[i]
        writer = warp["written_by"][slot]
        if writer >= 0:
            detour = m.params[0]["forwarding"][writer, reader] if reader >= 0 else 0
            ready = max(ready, warp["ready_at"][slot] + detour)
    return ready


@rule
def structural(m: Model, w: int, now: int) -> tuple[int, int]:
    """The queue, or the dispatcher and the pipe, that the instruction goes to."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    queue = code["queue"]
    if queue >= 0:
        free = place_free(m, warp["smsp"], queue, now)
        if free > now:
            return LG_THROTTLE if queue == LG_QUEUE else MIO_THROTTLE, free
        return ELIGIBLE, now
    free = dispatcher_free(m, warp["smsp"], now)
    if free > now:
        return DISPATCH_STALL, free
    if code["unit"] == FIXED or code["unit"] == BRANCH:
        free = pipe_free(m, warp["smsp"], code["pipe"])
        if free > now:
            return MATH_PIPE_THROTTLE, free
    return ELIGIBLE, now


@rule
def place_free(m: Model, smsp: int, queue: int, now: int) -> int:
    """When the queue has a place, ``NEVER`` until its head leaves; the XU's counts the instruction being executed."""
    places = m.params[0]["queue_depth"][queue] - m.smsps[smsp]["queue_count"][queue]
    if places <= 0:
        return NEVER
    if queue == XU_QUEUE and places == 1:
        return max(now, m.smsps[smsp]["pipe_free"][m.params[0]["xu"]])
    return now
