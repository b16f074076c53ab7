"""Fetch: the L0 instruction cache of an SMSP, the SM's instruction cache behind it, constant lines.

A miss in L0 brings a group of lines at once; while a warp runs through a group, the next one is asked for, too late to
come in time. Seen on the H100: microbenchmarks ``fetch`` (islands, straight), 53 cycles for 24 instructions.
"""

from smsim.model import Model
from smsim.rules.rule import rule

OPERAND_CACHE, LDC_CACHE = range(2)


@rule
def fetch(m: Model, w: int, now: int) -> None:
    """The warp wants the line of its next instruction; sets when it has it, and asks for the group behind it."""
    warp = m.warps[w]
    smsp, p = warp["smsp"], m.params[0]
    line = m.instructions[warp["pc"]]["line"]
    group = 1 + p["l0_prefetch_lines"]
    bring(m, smsp, line, now)
    ready = m.l0[smsp, line]
    warp["fetch_until"] = ready
    bring(m, smsp, line + group, max(now, ready) + group * p["l0_fill_interval"] - p["l0_miss"])


@rule
def bring(m: Model, smsp: int, line: int, now: int) -> None:
    """Ask the SM's instruction cache for a line that the L0 lacks; the next lines come with it, at the same time."""
    if line >= len(m.fetched) or m.l0[smsp, line] >= 0:
        return
    ready = icache(m, line, now) + m.params[0]["l0_miss"]
    for missing in range(line, min(len(m.fetched), line + 1 + m.params[0]["l0_prefetch_lines"])):
        if m.l0[smsp, missing] < 0:
            put(m, smsp, missing, ready)


@rule
def put(m: Model, smsp: int, line: int, ready: int) -> None:
    """The line takes the place of the oldest in the SMSP's L0."""
    lines, hand = m.l0_lines[smsp], m.smsps[smsp]["l0_hand"]
    if lines[hand] >= 0:
        m.l0[smsp, lines[hand]] = -1
    lines[hand] = line
    m.l0[smsp, line] = ready
    m.smsps[smsp]["l0_hand"] = (hand + 1) % len(lines)


@rule
def icache(m: Model, line: int, now: int) -> int:
    """When the SM's instruction cache has the line; a miss brings the lines behind it along."""
    if m.fetched[line] < 0:
        last = min(len(m.fetched), line + 1 + m.params[0]["icache_prefetch_lines"])
        for other in range(line, last):
            if m.fetched[other] < 0:
                m.fetched[other] = now + m.params[0]["icache_miss"]
    return max(now, m.fetched[line])


@rule
def fetch_constant(m: Model, w: int, now: int) -> None:
    """The next instruction's ``c[bank][offset]`` operand: the warp waits until the operand cache has it."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    if code["constant_line"] >= 0 and not code["is_ldc"]:
        ready = constant_ready(m, OPERAND_CACHE, code["constant_line"], now, m.params[0]["constant_miss"])
        warp["constant_until"] = ready


@rule
def constant_ready(m: Model, cache: int, line: int, now: int, miss: int) -> int:
    """When a constant cache has a line; both start every launch empty."""
    if m.constants[cache, line] < 0:
        m.constants[cache, line] = now + miss
    return max(now, m.constants[cache, line])
