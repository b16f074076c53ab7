"""The ADU: constants by LDC, uniform special registers, MATCH and REDUX.

It works on a few instructions of the SM in turn, a pass each; MATCH.ANY takes one for every value that its lanes hold.
Seen on the H100: microbenchmarks ``throughput``, ``lanes/values`` and ``turns/row MATCH.ANY of 4``.
"""

from smsim.model import Model
from smsim.rules.frontend import ldc_ready
from smsim.rules.rule import rule
from smsim.state import NUM_ADU_PLACES, NUM_SMSPS


@rule
def adu_free(m: Model, smsp: int) -> int:
    """When the ADU takes the SMSP's next instruction."""
    sm = m.sm[0]
    return max(m.smsps[smsp]["adu_path_free"], sm["adu_free"], sm["adu_places"][first_place(m)])


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
        return in_turn(m, ldc_ready(m, code["constant_line"], now), code["sm_interval"]) - now
    return (passes - 1) * m.params[0]["match_latency"]


@rule
def in_turn(m: Model, ready: int, interval: int) -> int:
    """When an LDC whose line is ``ready`` then gets its data: behind those that wait for a line, as far apart.

    Seen on the H100: microbenchmarks ``constants/LDC, warps together``.
    """
    sm = m.sm[0]
    served = max(ready, sm["ldc_free"])
    sm["ldc_free"] = served + interval
    return served
