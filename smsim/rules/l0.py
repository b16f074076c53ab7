"""An SMSP's level-0 cache of code: which lines come into it ahead of a warp, and when they are there.

Ahead of each warp two lines are brought, along the way that it would go if it took only those branches that are always
taken. They are asked for where it misses a line, one more where it runs straight on into the next line. Where it lands
on a line that is there, the next two in a row come instead, whatever branches are in them. Seen on the H100:
microbenchmarks ``strolls``, lines looked at.
"""

from smsim.code import ENDS_HERE
from smsim.model import Model
from smsim.rules.icc import WHOLE_SM, put, serve
from smsim.rules.rule import rule
from smsim.state.sizes import ICC, L0

# Cycles from the time that a line is there until the target of the branch in it is asked for.
FOLLOWING = 3
AHEAD = 2  # lines
# A line that comes ahead of a warp that runs on is there so much sooner than its branch finds it.
SOONER = 1


@rule
def next_on_way(m: Model, pc: int) -> int:
    """Where the way leaves a line that it comes to at ``pc``: the target of a branch that is always taken, or behind.

    It stays where it is over: in a line with an EXIT that is always taken, and behind the last line. A negative ``pc``
    says where it goes on, whatever branches are in the line before. Seen on an H200: microbenchmarks ``endings``.
    """
    if pc < 0:
        return -pc
    if pc >= len(m.instructions):
        return pc
    target, each = m.instructions[pc]["leads_to"], m.params[0]["line_instructions"]
    if target == ENDS_HERE:
        return pc
    return target if target >= 0 else (pc // each + 1) * each


@rule
def brought(m: Model, smsp: int, line: int) -> bool:
    """Whether the L0 has a line, or there is none."""
    return line >= len(m.fetched) or m.lines[smsp, L0, line] >= 0


@rule
def have(m: Model, smsp: int, line: int, there: int, asked: int) -> None:
    """The L0 asks for a line that it lacks, which is ``there`` for a branch; for one that the ICC lacks it does not."""
    if not brought(m, smsp, line) and m.lines[WHOLE_SM, ICC, line] >= 0:
        put(m, smsp, L0, line, there)
        serve(m, line, asked)


@rule
def miss_ahead(m: Model, smsp: int, w: int, first: int, ready: int) -> None:
    """The warp misses the line of its next instruction, which is there ``first``: it and two more on its way come.

    It goes on ``ready``, the line behind comes right after. A line that a branch leads to takes longer, and a target
    that is there already ends the way.
    """
    warp, p = m.warps[w], m.params[0]
    each = p["line_instructions"]
    pc, at, followed = warp["pc"], first, False
    for ahead in range(AHEAD):
        on = next_on_way(m, pc)
        if on == pc:
            break
        leads, line = on != (pc // each + 1) * each, on // each
        there = ready if ahead == 0 else first + p["l0_second"]
        asked = first
        if leads:
            there = at + p["l0_followed_on"] if followed else at + p["l0_followed"] - 1
            asked = at + FOLLOWING if followed else first
        elif followed:
            there = at + each // p["l0_rate"]
        ends = leads and brought(m, smsp, line)
        ask(m, smsp, w, line, there, asked, first + FOLLOWING)
        followed = followed or leads
        at = there if followed else first + (ahead + 1) * each // p["l0_rate"]
        pc = on
        if ends:
            break
    warp["stream"] = pc


@rule
def run_ahead_by_one(m: Model, smsp: int, w: int, now: int) -> None:
    """The warp runs on into the next line: one more line on its way comes."""
    warp, p = m.warps[w], m.params[0]
    each, pc = p["line_instructions"], warp["stream"]
    on = next_on_way(m, pc)
    if on == pc:
        return
    there, asked, leads = now + p["l0_ahead"] - 1, now, pc >= 0 and on != (pc // each + 1) * each
    if leads and pc < len(m.instructions):
        came = m.lines[smsp, L0, pc // each] - SOONER
        there, asked = max(there, came + p["l0_followed_on"]), max(asked, came + FOLLOWING)
    was_there = brought(m, smsp, on // each)
    if not was_there:
        meet_branch(m, smsp, w, on, there)
    ask(m, smsp, w, on // each, there, asked, now)
    warp["stream"] = behind(on, each) if was_there else on


@rule
def behind(pc: int, each: int) -> int:
    """The way goes on to the next line in a row: branches are met as a line comes, in one that was there none is."""
    return -(pc // each + 1) * each


@rule
def meet_branch(m: Model, smsp: int, w: int, pc: int, there: int) -> None:
    """A line comes ``there``, some instructions a cycle: when is a branch met that leads to a line not yet brought.

    Then that line is looked up, and a landing has to wait.
    """
    if pc >= len(m.instructions):
        return
    code, p = m.instructions[pc], m.params[0]
    if code["leads_to"] >= 0 and not brought(m, smsp, code["leads_to"] // p["line_instructions"]):
        m.warps[w]["branch_met"] = there + code["leads_at"] // p["l0_rate"]


@rule
def land_ahead(m: Model, smsp: int, w: int, second: int, now: int) -> None:
    """The warp has landed on a line that is there: the next two in a row come, that behind it ``second``."""
    warp, p = m.warps[w], m.params[0]
    each = p["line_instructions"]
    line = warp["pc"] // each
    have(m, smsp, line + 1, second - each // p["l0_rate"], now)
    last = (line + 2) * each
    warp["stream"] = behind(last, each) if brought(m, smsp, line + 2) else last
    have(m, smsp, line + 2, second, now)


@rule
def ask(m: Model, smsp: int, w: int, line: int, there: int, asked: int, now: int) -> None:
    """A line on the warp's way is asked for, now or later."""
    if asked <= now:
        have(m, smsp, line, there, asked)
    else:
        warp = m.warps[w]
        warp["asks_for"], warp["asks_at"], warp["asked_there"] = line, asked, there


@rule
def ask_in_time(m: Model, smsp: int, w: int, now: int) -> None:
    """What the warp's way leads to, and was to be asked for up to now, is."""
    warp = m.warps[w]
    if warp["asks_for"] >= 0 and warp["asks_at"] <= now:
        have(m, smsp, warp["asks_for"], warp["asked_there"], warp["asks_at"])
        forget(m, w)


@rule
def forget(m: Model, w: int) -> None:
    """The warp will not ask for what it was to."""
    warp = m.warps[w]
    warp["asks_for"], warp["asks_at"], warp["asked_there"] = -1, 0, 0
