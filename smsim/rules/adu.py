"""The ADU: constants by LDC, uniform special registers, MATCH and REDUX.

MATCH.ANY goes through it once for every value that its lanes hold, with a few others in turn.
Seen on the H100: microbenchmarks ``throughput`` and ``lanes/values``.
"""

from smsim.model import Model
from smsim.rules.frontend import LDC_CACHE, constant_ready
from smsim.rules.rule import rule
from smsim.state import NUM_MATCHES, NUM_SMSPS


@rule
def adu_free(m: Model, smsp: int, pc: int) -> int:
    """When the ADU takes this instruction."""
    at = max(m.smsps[smsp]["adu_path_free"], m.sm[0]["adu_free"])
    if m.instructions[pc]["is_match"]:
        at = max(at, m.sm[0]["match_free"][first_match_free(m)])
    return at


@rule
def hold_others(m: Model, pc: int) -> None:
    """The ADU serves the SMSPs in order: behind a MATCH.ANY that has no place yet all wait."""
    if m.instructions[pc]["is_match"]:
        sm = m.sm[0]
        sm["adu_free"] = max(sm["adu_free"], sm["match_free"][first_match_free(m)])


@rule
def first_match_free(m: Model) -> int:
    """Of the places for a MATCH.ANY the one that is free first."""
    free = m.sm[0]["match_free"]
    first = 0
    for place in range(1, NUM_MATCHES):
        if free[place] < free[first]:
            first = place
    return first


@rule
def through_adu(m: Model, smsp: int, pc: int, access: int, now: int) -> int:
    """The ADU takes an instruction; returns by how much its result is later than the table says."""
    code = m.instructions[pc]
    m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    m.sm[0]["adu_free"] = now + code["sm_interval"]
    m.sm[0]["arbiter"] = (smsp + 1) % NUM_SMSPS
    if code["is_match"]:
        values = m.accesses[access]["line"]
        m.sm[0]["match_free"][first_match_free(m)] = now + values * code["sm_interval"] * NUM_MATCHES
        return (values - 1) * m.params[0]["match_latency"]
    if code["is_ldc"] and code["constant_line"] >= 0:
        return constant_ready(m, LDC_CACHE, code["constant_line"], now, m.params[0]["ldc_miss"]) - now
    return 0
