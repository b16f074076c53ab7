"""An SMSP's level-0 cache of code: which lines come into it ahead of a warp, and when they are there.

Where a warp comes to a line the two behind it are brought. A line that comes and has a branch that is always taken, at
which the warp would arrive, leads to that branch's target, whose line comes next, and the one behind with it. A landing
of that warp in the meantime puts an end to that. Seen on the H100: microbenchmarks ``strolls`` and ``streams``.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import FOLLOWS, ICC, L0

WHOLE_SM = 0  # whose lines the ICC's are
BRANCHES = 2  # that are followed from where a warp is
# Cycles from a landing on a line that was missing until the second one behind it is there; from the time that another
# line is there until the target of its branch is; and until that is asked for.
SECOND_BEHIND_MISS = 15
FOLLOWED_ON = 16
FOLLOWING = 2
BEHIND_TARGET = 1  # cycles that the line behind a target comes later


@rule
def enter(m: Model, smsp: int, w: int, pc: int, at: int, first: int, second: int, branches: int) -> None:
    """A warp of the SMSP comes to a line: the L0 gets it, and the two behind it, there ``first`` and ``second``.

    So it is for a warp that branches to it; one that runs straight on waits for nothing. Lines behind a branch that is
    always taken come too, but what they lead to does not: the warp will not run into them.
    """
    code, last = m.instructions, len(m.fetched) - 1
    line, each = code[pc]["line"], m.params[0]["line_instructions"]
    if m.lines[smsp, L0, line] < 0:
        put(m, smsp, L0, line, at)
    m.lines[smsp, L0, line] = min(m.lines[smsp, L0, line], at)
    runs_on = code[pc]["leads_to"] < 0
    for number in range(line + 1, min(last, line + m.params[0]["icc_prefetch_lines"]) + 1):
        if m.lines[smsp, L0, number] < 0:
            there = first if number == line + 1 else second
            put(m, smsp, L0, number, there)
            if runs_on:
                note_branch(m, smsp, w, number * each, there, FOLLOWED_ON, branches)
        runs_on = runs_on and code[number * each]["leads_to"] < 0


@rule
def note_branch(m: Model, smsp: int, w: int, pc: int, at: int, after: int, branches: int) -> None:
    """A line for the warp is there at ``at``: if it leads elsewhere from ``pc`` on, the target comes so much later."""
    target = m.instructions[pc]["leads_to"]
    state = m.smsps[smsp]
    if branches > 0 and target >= 0:
        for i in range(FOLLOWS):
            if state["follow_left"][i] == 0:
                state["follow_at"][i], state["follow_there"][i] = at + FOLLOWING, at + after
                state["follow_to"][i], state["follow_left"][i] = target, branches
                state["follow_warp"][i] = w
                return


@rule
def follow_branches(m: Model, smsp: int, now: int) -> None:
    """Ask for the targets of branches whose time has come, one after the other."""
    state = m.smsps[smsp]
    first = next_to_follow(m, smsp, now)
    while first >= 0:
        target, there, left = state["follow_to"][first], state["follow_there"][first], state["follow_left"][first]
        w = state["follow_warp"][first]
        forget(m, smsp, first)
        line = m.instructions[target]["line"]
        if m.lines[smsp, L0, line] < 0 and m.lines[WHOLE_SM, ICC, line] >= 0:
            put(m, smsp, L0, line, there)
            note_branch(m, smsp, w, target, there, FOLLOWED_ON, left - 1)
            if line + 1 < len(m.fetched) and m.lines[smsp, L0, line + 1] < 0:
                put(m, smsp, L0, line + 1, there + BEHIND_TARGET)
        first = next_to_follow(m, smsp, now)


@rule
def next_to_follow(m: Model, smsp: int, now: int) -> int:
    """The place of the branch to be followed next, up to now; -1 for none."""
    state = m.smsps[smsp]
    first = -1
    for i in range(FOLLOWS):
        due = state["follow_left"][i] > 0 and state["follow_at"][i] <= now
        if due and (first < 0 or state["follow_at"][i] < state["follow_at"][first]):
            first = i
    return first


@rule
def forget_branches(m: Model, smsp: int, w: int) -> None:
    """A landing of the warp: what is on the way comes, nothing else is asked for that it would have come to."""
    for i in range(FOLLOWS):
        if m.smsps[smsp]["follow_warp"][i] == w:
            forget(m, smsp, i)


@rule
def forget(m: Model, smsp: int, place: int) -> None:
    """The branch is followed, or will not be."""
    state = m.smsps[smsp]
    state["follow_at"][place], state["follow_there"][place] = 0, 0
    state["follow_to"][place], state["follow_left"][place] = 0, 0


@rule
def put(m: Model, smsp: int, cache: int, line: int, ready: int) -> None:
    """The line takes the place of the oldest of its set, the set's first, in a cache."""
    places, ways = m.line_places[smsp, cache], m.params[0]["code_ways"][cache]
    first = line % m.params[0]["code_sets"][cache] * ways
    if places[first] >= 0:
        m.lines[smsp, cache, places[first]] = -1
    for place in range(first, first + ways - 1):
        places[place] = places[place + 1]
    places[first + ways - 1] = line
    m.lines[smsp, cache, line] = ready
