"""Fetch: the L0 instruction cache of an SMSP with its stream buffer, the SM's instruction cache, constant lines."""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def fetch(m: Model, w: int, now: int) -> None:
    """The warp wants the line of its next instruction; sets when it has it, and keeps the lines behind it coming."""
    warp = m.warps[w]
    smsp = warp["smsp"]
    line = m.instructions[warp["pc"]]["line"]
    ready = l0(m, smsp, line, now)
    warp["fetch_until"] = ready
    last_line = m.instructions[len(m.instructions) - 1]["line"]
    for ahead in range(1, m.params[0]["l0_prefetch_lines"] + 1):
        if line + ahead > last_line:
            break
        ready = l0(m, smsp, line + ahead, max(now, ready + m.params[0]["l0_fill_interval"] - m.params[0]["l0_miss"]))


@rule
def l0(m: Model, smsp: int, line: int, now: int) -> int:
    """When the line is in the SMSP's L0; a miss takes the place of the oldest line."""
    lines = m.l0[smsp]
    for i in range(len(lines)):
        if lines[i]["line"] == line:
            return lines[i]["ready"]
    hand = m.smsps[smsp]["l0_hand"]
    ready = icache(m, line, now) + m.params[0]["l0_miss"]
    lines[hand]["line"] = line
    lines[hand]["ready"] = ready
    m.smsps[smsp]["l0_hand"] = (hand + 1) % len(lines)
    return ready


@rule
def icache(m: Model, line: int, now: int) -> int:
    """When the SM's instruction cache has the line."""
    if m.fetched[line] < 0:
        m.fetched[line] = now + m.params[0]["icache_miss"]
    return max(now, m.fetched[line])


@rule
def fetch_constant(m: Model, w: int, now: int) -> None:
    """The next instruction's ``c[bank][offset]`` operand; sets when the constant cache has it."""
    warp = m.warps[w]
    line = m.instructions[warp["pc"]]["constant_line"]
    if line < 0:
        return
    if m.constants[line] < 0:
        m.constants[line] = now + m.params[0]["constant_miss"]
    warp["constant_until"] = m.constants[line]
