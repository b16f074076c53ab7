"""Branches: when they are resolved, and when the warp's next instruction is there.

Seen on the H100: microbenchmarks ``fetch``, ``groups``, ``branches`` and ``divergence``.
"""

from smsim.code import EXIT
from smsim.model import Model
from smsim.rules.convergence import has_brought, has_parted, keep_sibling, turn
from smsim.rules.frontend import fetch, land, resume, run_ahead
from smsim.rules.rule import apart, rule


@rule
def branch(m: Model, w: int, pc: int, lanes: int, now: int) -> int:
    """A branch, executed by ``lanes``, has to be resolved; returns when what follows is fetched, -1 if it is at hand.

    So it is behind a BSYNC behind which all its lanes go on: microbenchmarks ``branches``, rows of BSYNC; and behind a
    BREAK, which takes no time where its guard is false in all lanes: microbenchmarks ``parted``.

    Until it begins to be, or until a BSYNC or RET is done, the warp stands at the instruction behind it: so it does in
    warp samples. Behind a BSYNC that the warp has just landed on the next line comes a cycle later: microbenchmarks
    ``strolls``, joined.
    """
    code, p = m.instructions[pc], m.params[0]
    if code["leaves"]:
        if lanes != 0:
            resolve(m, w, code["latency"], now)
            show_next(m, w, pc, now + code["latency"])
        return -1
    parted = has_parted(m, w, lanes)
    waits = 0
    if code["sm_interval"] > 0 and (code["joins"] or parted):
        waits = turn(m, code["sm_interval"], now)
    if is_taken(m, w, pc):
        there = now + waits + target_after(m, w, pc, lanes)
        keep_sibling(m, w, lanes, code["unit"] != EXIT)
        resolve(m, w, there - now - (p["branch_taken"] - p["branch_resolved"]), now)
        show_next(m, w, pc, there - (p["branch_taken"] - p["branch_started"]))
        return there
    keep_sibling(m, w, lanes, code["unit"] != EXIT)
    resolved = code["latency"]
    if parted and not code["joins"]:
        resolved = max(resolved, p["exit_diverged"] if code["unit"] == EXIT else p["branch_diverged"])
    if code["joins"] and m.warps[w]["line_until"] > now + p["branch_line_end"]:
        resume(m, w, now + resolved)
    resolve(m, w, resolved + waits, now)
    show_next(m, w, pc, now + resolved + waits)
    return now + resolved + waits if parted and not code["joins"] else -1


@apart
def name_lanes(m: Model, w: int, pc: int, masks: int, now: int) -> None:
    """All lanes that a WARPSYNC's register names are there: its warp goes on when each mask has had its turn.

    Seen on the H100: microbenchmarks ``parted/WARPSYNC of * masks``; on an H200: ``exclusive``, of which one has it.
    """
    cycles = m.params[0]["lanes_named"] + masks * m.params[0]["mask_named"]
    resolve(m, w, cycles, now)
    show_next(m, w, pc, now + cycles)


@rule
def is_taken(m: Model, w: int, pc: int) -> bool:
    """Whether the warp has gone on from there to elsewhere than to the next instruction, or by a jump to that one."""
    return m.warps[w]["pc"] != pc + 1 or m.instructions[pc]["jumps"]


@rule
def target_after(m: Model, w: int, pc: int, lanes: int) -> int:
    """Cycles from a branch's issue to that of what follows elsewhere, where that is at hand.

    A BSYNC that its lanes execute once more, as its barrier was restored, looks for the others first: kernels of calls.
    Behind lanes that exit the others go on four cycles later than behind those that wait: ``parted/EXIT *``.
    """
    code, p = m.instructions[pc], m.params[0]
    if code["unit"] == EXIT:
        return int(p["exit_switched"] if m.warps[w]["mask"] == m.warps[w]["sibling"] else p["exit_searched"])
    if has_brought(m, w, lanes) and m.warps[w]["mask"] != m.warps[w]["sibling"]:
        return int(p["branch_searched"])
    if code["joins"]:
        once_more = m.warps[w]["pc"] == pc and m.warps[w]["mask"] == lanes
        return int(p["branch_searched"] if once_more else p["branch_switched"])
    return max(code["latency"], p["branch_taken"])


@rule
def resolve(m: Model, w: int, cycles: int, now: int) -> None:
    """A branch that issues now is resolved so many cycles later."""
    warp = m.warps[w]
    warp["resolving_from"] = now + m.params[0]["branch_started"]
    warp["resolving_until"] = now + cycles


@rule
def show_next(m: Model, w: int, pc: int, until: int) -> None:
    """The warp's cycles count for the instruction behind this one until then."""
    m.warps[w]["shown"] = min(pc + 1, m.warp_cycles.shape[1] - 1)
    m.warps[w]["shown_until"] = until


@rule
def fetch_next(m: Model, w: int, pc: int, there: int, reached: int, now: int) -> None:
    """The warp's next instruction, the target of a branch if ``there`` is a time: it may have to be fetched.

    What comes next in a row is asked for as the warp issues, however late the dispatcher takes what it issued: rows of
    ``paced``, in which the warp that has its turn keeps it across the ends of lines.
    """
    warp = m.warps[w]
    if there >= 0:
        run_ahead(m, w, pc, now)
        taken = is_taken(m, w, pc)
        land(m, w, taken, m.instructions[pc]["joins"], there, reached)
        if not taken:
            # The line behind is on its way since before the branch.
            warp["line_until"] = warp["fetch_until"]
    elif m.instructions[warp["pc"]]["line"] != m.instructions[pc]["line"]:
        fetch(m, w, now)
