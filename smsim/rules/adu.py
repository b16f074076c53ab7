"""The ADU: constants by LDC, uniform special registers, MATCH, REDUX, block barriers that count votes and B2R.

Instructions of all SMSPs come into a row in front of it, one a cycle, the SMSPs in turn. It takes them from there in
order, and works on a few in turn, a pass each; MATCH.ANY takes one for every value that its lanes hold, LDC one for
every word that they read.
Seen on the H100: microbenchmarks ``throughput``, ``lanes/values``, ``turns/row LDC`` of four SMSPs, ``turns/row
MATCH.ANY of 4``, ``module_constants`` and ``voted``; whose turn it is, on an H200: ``probed``, ``started``.
"""

from smsim.model import Model
from smsim.rules.bits import around, first_free
from smsim.rules.heads import head_of
from smsim.rules.ldc import between_late_ldcs, first_ldc_place
from smsim.rules.rule import apart, rule
from smsim.state.sizes import ADU_QUEUE, ADU_ROW, NEVER, NUM_ADU_PLACES, NUM_SMSPS

# The row goes on for so many cycles once LDCs come again.
STANDS_AFTER = 3


@rule
def adu_free(m: Model, smsp: int, pc: int, now: int) -> int:
    """When the SMSP's next instruction may come into the row, or an arrival at a block barrier go past it.

    The row stands still from one LDC that comes again to the next: on an H200, microbenchmarks ``missed``.
    """
    sm = m.sm[0]
    if m.instructions[pc]["passes_row"]:
        return int(m.smsps[smsp]["adu_path_free"])
    free = max(m.smsps[smsp]["adu_path_free"], sm["adu_entered"] + 1, sm["adu_row"][0] + 1)
    if m.instructions[pc]["is_ldc"]:
        free = max(free, sm["ldc_places"][first_ldc_place(m)])
    since = max(free, now) - STANDS_AFTER
    goes_on = between_late_ldcs(m, since)
    return free if goes_on == since else max(free, goes_on + 1)


@rule
def has_waiting(m: Model) -> bool:
    """Whether something waits in an SMSP's ADU queue."""
    waiting = 0
    for smsp in range(NUM_SMSPS):
        waiting |= m.smsps[smsp]["queue_count"][ADU_QUEUE]
    return waiting != 0


@rule
def first_to_adu(m: Model, now: int) -> int:
    """The first SMSP, from behind the last one on, the head of whose ADU queue may go; -1 for none."""
    if not has_waiting(m):
        return -1
    for i in range(NUM_SMSPS):
        smsp = around(m.sm[0]["mio_first"] + i, NUM_SMSPS)
        if m.smsps[smsp]["queue_count"][ADU_QUEUE] > 0:
            head = m.queues[head_of(m, smsp, ADU_QUEUE)]
            needs_path = m.instructions[head["pc"]]["path"] > 0
            if head["ready"] <= now and not (needs_path and m.smsps[smsp]["operand_path_free"] > now):
                return smsp
    return -1


@rule
def next_to_adu(m: Model, going: int, now: int) -> int:
    """When another SMSP's queue's head than that of the one that is ``going`` may come into the row, behind now."""
    at = NEVER
    if not has_waiting(m):
        return at
    for smsp in range(NUM_SMSPS):
        if smsp != going and m.smsps[smsp]["queue_count"][ADU_QUEUE] > 0:
            head = m.queues[head_of(m, smsp, ADU_QUEUE)]
            at = min(at, max(now + 1, head["ready"], adu_free(m, smsp, head["pc"], now)))
    return at


@apart
def through_adu(m: Model, smsp: int, pc: int, passes: int, now: int) -> int:
    """An instruction of so many passes comes into the row; returns when the ADU begins with it."""
    sm, code = m.sm[0], m.instructions[pc]
    if code["path"] > 0:
        m.smsps[smsp]["adu_path_free"] = now + code["interval"]
    begins = max(now, sm["barrier_free"]) if code["meets_barriers"] else now
    if not code["passes_row"]:
        sm["adu_entered"] = now
        sm["mio_first"] = (smsp + 1) % NUM_SMSPS
        begins = begin_pass(m, pc, passes, begins)
    if code["meets_barriers"]:
        sm["barrier_free"] = begins + code["sm_interval"]
    return begins


@rule
def begin_pass(m: Model, pc: int, passes: int, at: int) -> int:
    """The ADU begins with an instruction in its row, of so many passes, ``at`` the soonest; returns when it does."""
    sm, interval = m.sm[0], m.instructions[pc]["sm_interval"]
    place = first_free(sm["adu_places"])
    begins = between_late_ldcs(m, max(at, sm["adu_free"], sm["adu_places"][place]))
    for i in range(ADU_ROW - 1):
        sm["adu_row"][i] = sm["adu_row"][i + 1]
    sm["adu_row"][ADU_ROW - 1] = begins
    sm["adu_free"] = begins + interval
    sm["adu_places"][place] = begins + passes * interval * NUM_ADU_PLACES
    return begins


@rule
def passes_of(m: Model, pc: int, access: int) -> int:
    """A MATCH.ANY makes one for each value that the lanes hold, an LDC one for each word that they read.

    Seen on the H100: microbenchmarks ``lanes/values``, ``module_constants/LDC3.R of * words``.
    """
    code = m.instructions[pc]
    if code["is_match"]:
        return m.accesses[access]["line"]
    if code["is_indexed"]:
        return m.kinds[m.accesses[access]["kind"]]["wavefronts"]
    return 1
