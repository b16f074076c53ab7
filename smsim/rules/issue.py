"""Issue: the picked warp's instruction leaves for its unit, and the warp moves on."""

from smsim.code import BARRIER, BRANCH, FIXED, LG, MEMBAR, MIO, SLEEP, XU
from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import book_issue
from smsim.rules.blocks import arrive, exit_warp
from smsim.rules.cursor import advance
from smsim.rules.frontend import fetch, fetch_constant
from smsim.rules.mio import enqueue
from smsim.rules.pipes import occupy
from smsim.rules.rule import rule
from smsim.rules.scoreboard import raise_barriers, release_barriers

BRANCH_RESOLVING = int(Reason.BRANCH_RESOLVING)
MEMBAR_STALL = int(Reason.MEMBAR)
SLEEPING = int(Reason.SLEEPING)


@rule
def issue(m: Model, w: int, now: int) -> None:
    """The warp issues its instruction in cycle ``now``."""
    warp = m.warps[w]
    pc = warp["pc"]
    code = m.instructions[pc]
    book_issue(m, w, now)
    m.smsps[warp["smsp"]]["last_warp"] = w
    m.sm[0]["thread_instructions"] += lanes(warp["mask"])
    warp["yields"] = code["yields"]
    warp["stall_until"] = now + max(1, code["stall"])
    warp["wake"] = now + 1
    arrives_at = -1
    if warp["mask"] != 0:
        execute(m, w, pc, now)
        if code["records_access"]:
            if code["unit"] == BARRIER:
                arrives_at = warp["access"]
            warp["access"] += 1
    if not advance(m, w):
        warp["stopped_until"] = now + m.params[0]["exit"]
        exit_warp(m, w, now)
        return
    follow(m, w, pc, now)
    if arrives_at >= 0:
        arrive(m, w, arrives_at, not code["is_barrier_arrive"], now)


@rule
def execute(m: Model, w: int, pc: int, now: int) -> None:
    """What the instruction does to the units; an instruction whose guard is false in every lane does nothing."""
    warp = m.warps[w]
    code = m.instructions[pc]
    unit = code["unit"]
    if unit in (XU, MIO, LG):
        enqueue(m, w, now)
        return
    if unit in (FIXED, BRANCH):
        occupy(m, warp["smsp"], code["pipe"], code["interval"], now)
        for i in range(code["writes_from"], code["registers_end"]):
            warp["ready_at"][m.registers[i]] = now + code["latency"]
            warp["written_by"][m.registers[i]] = code["writer_class"]
    elif unit == MEMBAR:
        warp["stopped_until"] = max(now + code["latency"], warp["stores_until"])
        warp["stopped_by"] = MEMBAR_STALL
    elif unit == SLEEP:
        warp["stopped_until"] = now + int(code["immediate"] * m.params[0]["clock_mhz"] / 1000)
        warp["stopped_by"] = SLEEPING
    raise_barriers(m, w, pc, False)
    release_barriers(m, w, pc, now + code["read_latency"], now + code["latency"], now + 1)


@rule
def follow(m: Model, w: int, pc: int, now: int) -> None:
    """The warp's next instruction: a branch has to be resolved, another line or constant fetched."""
    warp = m.warps[w]
    code = m.instructions[pc]
    after = m.instructions[warp["pc"]]
    taken = warp["pc"] != pc + 1
    if code["unit"] == BRANCH:
        warp["stopped_until"] = warp["stall_until"] + (m.params[0]["branch_taken"] if taken else m.params[0]["branch_not_taken"])
        warp["stopped_by"] = BRANCH_RESOLVING
    if taken or after["line"] != code["line"]:
        fetch(m, w, now)
    fetch_constant(m, w, now)


@rule
def lanes(mask: int) -> int:
    """Bits set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count
