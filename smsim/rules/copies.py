"""Asynchronous copies from global to shared memory: the groups that LDGDEPBAR makes of them, and DEPBAR.

LDGDEPBAR takes the copies' way behind them; its barrier is released when all copies that issued before it are done.
Seen on the H100: microbenchmarks ``copies``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.account import wake
from smsim.rules.rule import rule
from smsim.rules.scoreboard import release_barrier
from smsim.state.sizes import MAX_GROUPS, NEVER

LONG_SCOREBOARD = int(Reason.LONG_SCOREBOARD)


@rule
def begin_group(m: Model, w: int, pc: int, now: int) -> None:
    """LDGDEPBAR issues: the copies before it are a group. The warp goes on when DEPBAR could tell it from others."""
    copies = m.copies[w]
    place = copies["groups"] % MAX_GROUPS
    copies["copies"][place] = copies["issued"]
    copies["passed"][place] = NEVER
    copies["barrier"][place] = m.instructions[pc]["write_barrier"]
    copies["groups"] += 1
    if copies["groups"] - copies["over"] == MAX_GROUPS:
        await_groups(m, w, MAX_GROUPS - 1, now)


@rule
def pass_group(m: Model, w: int, at: int, now: int) -> None:
    """The next LDGDEPBAR comes through L1's tag stage: with nothing to wait for its barrier is released ``at``."""
    copies = m.copies[w]
    group = copies["over"]
    while copies["passed"][group % MAX_GROUPS] < NEVER:
        group += 1
    copies["passed"][group % MAX_GROUPS] = at
    end_groups(m, w, now)


@rule
def end_copy(m: Model, w: int, done: int, now: int) -> None:
    """It is known when a copy is done."""
    copies = m.copies[w]
    copies["known"] += 1
    copies["done"] = max(copies["done"], done + m.params[0]["group_latency"])
    end_groups(m, w, now)


@rule
def end_groups(m: Model, w: int, now: int) -> None:
    """Groups, in their order, of which it is known now when all of their copies are done."""
    copies, warp = m.copies[w], m.warps[w]
    while copies["over"] < copies["groups"]:
        place = copies["over"] % MAX_GROUPS
        if copies["passed"][place] == NEVER or copies["known"] < copies["copies"][place]:
            break
        done = max(copies["passed"][place], copies["done"], copies["last"] + m.params[0]["group_interval"])
        copies["done_at"][place] = copies["last"] = done
        copies["over"] += 1
        warp["sent_until"] = max(warp["sent_until"], done)
        release_barrier(m, w, copies["barrier"][place], done)
        if copies["over"] == copies["awaited"]:
            copies["awaited"] = 0
            warp["stopped_until"] = max(now, done) + m.params[0]["group_passed"]
    wake(m, w, now)


@rule
def await_groups(m: Model, w: int, left: int, now: int) -> None:
    """DEPBAR: the warp goes on when all groups but the last ``left`` are done."""
    copies, warp = m.copies[w], m.warps[w]
    awaited = copies["groups"] - left
    warp["stopped_by"] = LONG_SCOREBOARD
    if awaited > copies["over"]:
        copies["awaited"] = awaited
        warp["stopped_until"] = NEVER
    else:
        done = copies["done_at"][(awaited - 1) % MAX_GROUPS] if awaited > 0 else now
        warp["stopped_until"] = max(now, done) + m.params[0]["group_passed"]


@rule
def forget_copies(m: Model, w: int, at: int) -> None:
    """A new warp has no copies on their way."""
    copies = m.copies[w]
    copies["issued"], copies["known"] = 0, 0
    copies["groups"], copies["over"], copies["awaited"] = 0, 0, 0
    copies["done"], copies["last"] = at, at - m.params[0]["group_interval"]
