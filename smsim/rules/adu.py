"""The ADU: constants by LDC, uniform special registers, MATCH and REDUX.

It works on a few instructions of the SM in turn, a pass each; MATCH.ANY takes one for every value that its lanes hold.
Seen on the H100: microbenchmarks ``throughput``, ``lanes/values`` and ``turns/row MATCH.ANY of 4``.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import LDC_CACHE, NUM_ADU_PLACES, NUM_SMSPS


@rule
def adu_free(m: Model, smsp: int) -> int:
    """When the ADU takes the SMSP's next instruction."""
    sm = m.sm[0]
    free = max(m.smsps[smsp]["adu_path_free"], sm["adu_free"], sm["adu_places"][first_place(m)])
    return max(free, sm["ldc_free"]) if sm["ldc_from"] <= free else free


@rule
def first_place(m: Model) -> int:
    """Of the places for an instruction the one that is free first."""
    free = m.sm[0]["adu_places"]
    first = 0
    for place in range(1, NUM_ADU_PLACES):
        if free[place] < free[first]:
            first = place
    return first


@rule
def through_adu(m: Model, smsp: int, pc: int, access: int, now: int) -> int:
    """The ADU takes an instruction; returns by how much its result is later than the table says."""
    code = m.instructions[pc]
    passes = m.accesses[access]["line"] if code["is_match"] else 1
    m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    m.sm[0]["adu_free"] = now + code["sm_interval"]
    m.sm[0]["adu_places"][first_place(m)] = now + passes * code["sm_interval"] * NUM_ADU_PLACES
    m.sm[0]["arbiter"] = (smsp + 1) % NUM_SMSPS
    if code["is_ldc"] and code["constant_line"] >= 0:
        return ldc_late(m, code["constant_line"], code["sm_interval"], now)
    return (passes - 1) * m.params[0]["match_latency"]


@rule
def ldc_late(m: Model, line: int, interval: int, now: int) -> int:
    """By how much later than from its cache an LDC that comes to it now gets its data.

    The line that the first one misses is there for those that come later sooner than for those that have missed: these
    come again, one behind the other, before what is new. Seen on the H100: microbenchmarks ``constants/LDC, warps
    together``.
    """
    sm, p = m.sm[0], m.params[0]
    if m.constants[LDC_CACHE, line] < 0:
        m.constants[LDC_CACHE, line] = now + p["ldc_fill"]
    there = m.constants[LDC_CACHE, line]
    if there <= now:
        return 0
    again = there + p["ldc_miss"] - p["ldc_fill"]
    if again >= sm["ldc_free"]:
        sm["ldc_from"] = again
    again = max(again, sm["ldc_free"])
    sm["ldc_free"] = again + interval
    return int(again - now)
