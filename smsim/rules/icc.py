"""The SM's cache of code, ICC, behind the SMSPs' own, and that of several SMs behind it, GCC.

A line that an SMSP asks for and the ICC lacks brings the next ones along. As the ICC serves a line it asks the GCC for
the first one behind these, if it lacks that. So what comes of straight code follows what has come before as its SMSP
has asked for it, in groups or one by one. What one SMSP has had brought is there for the others. Bits of a line's
address say in which set of the ICC it lies.
Seen on the H100: microbenchmarks ``ahead`` and ``fetch`` (islands, chains); on an H200: ``paused``.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state.sizes import ICC

WHOLE_SM = 0  # whose lines the ICC's are
# Cycles from the time that a line is asked for until a warp that waits for it has it, if the ICC has it.
SERVED = 15
# One that is to come so soon is served as if it had come.
COMING = 13


@rule
def serve(m: Model, line: int, now: int) -> int:
    """A line is asked for: when a warp has it that waits for it, if not now. The ICC asks for one behind it, too."""
    comes, p = comes_to_icc(m, line, now), m.params[0]
    behind = line + 1 + p["icc_prefetch_lines"]
    if behind < len(m.fetched) and m.lines[WHOLE_SM, ICC, behind] < 0:
        served = now + SERVED if comes <= now + SERVED + COMING else comes
        put(m, WHOLE_SM, ICC, behind, gcc(m, behind, served) + p["icc_fill_interval"])
    return max(now, comes)


@rule
def comes_to_icc(m: Model, line: int, now: int) -> int:
    """When a warp that waits has a line of the ICC; one that is missing comes from the GCC with those behind it."""
    if line >= len(m.fetched):
        return now
    if m.lines[WHOLE_SM, ICC, line] < 0:
        p = m.params[0]
        ready = gcc(m, line, now) + p["icc_miss"]
        for missing in range(line, min(len(m.fetched), line + 1 + p["icc_prefetch_lines"])):
            if m.lines[WHOLE_SM, ICC, missing] < 0:
                put(m, WHOLE_SM, ICC, missing, ready)
    return m.lines[WHOLE_SM, ICC, line]


@rule
def gcc(m: Model, line: int, now: int) -> int:
    """When the GCC has the line; a miss brings the lines behind it along."""
    if m.fetched[line] < 0:
        last = min(len(m.fetched), line + 1 + m.params[0]["gcc_prefetch_lines"])
        for other in range(line, last):
            if m.fetched[other] < 0:
                m.fetched[other] = now + m.params[0]["gcc_miss"]
    return max(now, m.fetched[line])


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
