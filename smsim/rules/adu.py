"""The ADU: constants by LDC, uniform special registers, MATCH and REDUX.

Instructions of all SMSPs come into a row in front of it, one a cycle, who has waited longest first. It takes them from
there in order, and works on a few in turn, a pass each; MATCH.ANY takes one for every value that its lanes hold, LDC
one for every word that they read.
Seen on the H100: microbenchmarks ``throughput``, ``lanes/values``, ``turns/row LDC`` of four SMSPs, ``turns/row
MATCH.ANY of 4`` and ``module_constants``; who comes first, in the cycles in which 8 warps of the chains of the
catalogue reach their loops.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.constants import asked_of_gcc, in_gcc, keep, line_of_constants, one_comes
from smsim.rules.heads import head_of
from smsim.rules.rule import apart, rule
from smsim.state import ADU_QUEUE, ADU_ROW, LDC_CACHE, NUM_ADU_PLACES, NUM_SMSPS


@rule
def adu_free(m: Model, smsp: int) -> int:
    """When the SMSP's next instruction may come into the row."""
    sm = m.sm[0]
    return max(m.smsps[smsp]["adu_path_free"], sm["adu_entered"] + 1, sm["adu_row"][0] + 1)


@rule
def first_to_adu(m: Model, now: int) -> int:
    """The SMSP whose ADU queue's head has waited longest, the first of several; -1 for none."""
    first, since = -1, now + 1
    for smsp in range(NUM_SMSPS):
        if m.smsps[smsp]["queue_count"][ADU_QUEUE] > 0:
            head = m.queues[head_of(m, smsp, ADU_QUEUE)]
            needs_path = m.instructions[head["pc"]]["path"] > 0
            if head["ready"] < since and not (needs_path and m.smsps[smsp]["operand_path_free"] > now):
                first, since = smsp, head["ready"]
    return first


@rule
def first_place(m: Model) -> int:
    """Of the places for an instruction the one that is free first."""
    free = m.sm[0]["adu_places"]
    first = 0
    for place in range(1, NUM_ADU_PLACES):
        if free[place] < free[first]:
            first = place
    return first


@apart
def through_adu(m: Model, smsp: int, pc: int, access: int, now: int) -> int:
    """An instruction comes into the row; returns by how much its result is later than the table says."""
    sm, code = m.sm[0], m.instructions[pc]
    passes = passes_of(m, code, access)
    place = first_place(m)
    begins = max(now, sm["adu_free"], sm["adu_places"][place])
    if sm["ldc_from"] <= begins:
        begins = max(begins, sm["ldc_free"])
    if code["path"] > 0:
        m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    sm["adu_entered"] = now
    for i in range(ADU_ROW - 1):
        sm["adu_row"][i] = sm["adu_row"][i + 1]
    sm["adu_row"][ADU_ROW - 1] = begins
    sm["adu_free"] = begins + code["sm_interval"]
    sm["adu_places"][place] = begins + passes * code["sm_interval"] * NUM_ADU_PLACES
    sm["mio_first"] = (smsp + 1) % NUM_SMSPS
    late = 0
    if code["is_ldc"] and code["is_indexed"]:
        late = indexed_late(m, access, code["sm_interval"], begins)
    elif code["is_ldc"] and code["constant_line"] >= 0:
        late = ldc_late(m, code["constant_line"], code["sm_interval"], begins)
    return begins - now + late + (passes - 1) * m.params[0]["match_latency"]


@rule
def passes_of(m: Model, code: np.void, access: int) -> int:
    """A MATCH.ANY makes one for each value that the lanes hold, an LDC one for each word that they read.

    Seen on the H100: microbenchmarks ``lanes/values``, ``module_constants/LDC3.R of * words``.
    """
    if code["is_match"]:
        return m.accesses[access]["line"]
    if code["is_indexed"]:
        return m.kinds[m.accesses[access]["kind"]]["wavefronts"]
    return 1


@rule
def indexed_late(m: Model, access: int, interval: int, now: int) -> int:
    """By how much later an LDC gets its lanes' words than if its cache had all their lines: one misses after the other.

    Seen on the H100: microbenchmarks ``module_constants/LDC3.R of 16 words, 256 bytes apart``.
    """
    kind = m.kinds[m.accesses[access]["kind"]]
    at, last = now, -1
    for touch in range(kind["first_touch"], kind["end_touch"]):
        for sector in range(len(m.touches[touch]["bytes"])):
            line = line_of_constants(m, access, touch, sector)
            if m.touches[touch]["bytes"][sector] != 0 and line != last:
                at += ldc_late(m, line, interval, at)
                last = line
    return at - now


@rule
def ldc_late(m: Model, line: int, interval: int, now: int) -> int:
    """By how much later than from its cache an LDC that comes to it now gets its data.

    The line that the first one misses is there for those that come later sooner than for those that have missed: these
    come again, one behind the other, before what is new. Seen on the H100: microbenchmarks ``constants/LDC, warps
    together``.
    """
    sm, p = m.sm[0], m.params[0]
    if m.constants[LDC_CACHE, line] < 0:
        asked = asked_of_gcc(m, max(now, one_comes(m, LDC_CACHE)))
        filled = in_gcc(m, line, asked) + p["ldc_fill"]
        keep(m, LDC_CACHE, line, filled, filled + p["ldc_miss"] - p["ldc_fill"])
    there = m.constants[LDC_CACHE, line]
    if there <= now:
        return 0
    again = there + p["ldc_miss"] - p["ldc_fill"]
    if again >= sm["ldc_free"]:
        sm["ldc_from"] = again
    again = max(again, sm["ldc_free"])
    sm["ldc_free"] = again + interval
    return int(again - now)
