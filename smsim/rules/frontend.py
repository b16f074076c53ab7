"""Fetch: the L0 instruction cache of an SMSP with its stream buffer, the SM's instruction cache, constant lines."""

from smsim.model import Model
from smsim.rules.rule import rule

OPERAND_CACHE, LDC_CACHE = range(2)


@rule
def fetch(m: Model, w: int, now: int) -> None:
    """The warp wants the line of its next instruction; sets when it has it, and keeps the lines behind it coming."""
    warp = m.warps[w]
    smsp = warp["smsp"]
    line = m.instructions[warp["pc"]]["line"]
    ready = l0(m, smsp, line, now)
    warp["fetch_until"] = ready
    for ahead in range(1, m.params[0]["l0_prefetch_lines"] + 1):
        if line + ahead >= len(m.fetched):
            break
        ready = l0(m, smsp, line + ahead, max(now, ready + m.params[0]["l0_fill_interval"] - m.params[0]["l0_miss"]))


@rule
def l0(m: Model, smsp: int, line: int, now: int) -> int:
    """When the line is in the SMSP's L0; a miss takes the place of the oldest line."""
    if m.l0[smsp, line] < 0:
        lines, hand = m.l0_lines[smsp], m.smsps[smsp]["l0_hand"]
        if lines[hand] >= 0:
            m.l0[smsp, lines[hand]] = -1
        lines[hand] = line
        m.l0[smsp, line] = icache(m, line, now) + m.params[0]["l0_miss"]
        m.smsps[smsp]["l0_hand"] = (hand + 1) % len(lines)
    return m.l0[smsp, line]


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
