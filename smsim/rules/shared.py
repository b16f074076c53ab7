"""The LSU's data stage: shared memory and shuffles, before which loads through L1 make way.

One queue of the whole SM leads to it. Two instructions are served at a time, each with a pass, a wavefront, every two
cycles, the other one's passes between, those of one warp one after the other: what waits for its own warp lets the next
few go first. A block barrier is a fence: what is behind it waits for all before it.
Seen on the H100: microbenchmarks ``mio/issues``, ``mio/roles``, ``atoms``, ``lanes``, ``entries`` and ``rounds``; on an
H200: ``met``.
"""

import numpy as np

from smsim.events import Event
from smsim.model import Model
from smsim.rules.data_stage import first_half_free, give_way_to_shared, quiet_from
from smsim.rules.l1 import overtaking_from
from smsim.rules.queues import finish
from smsim.rules.returns import await_return, delay_returns
from smsim.rules.rule import rule
from smsim.rules.write_back import go_between
from smsim.shared_service import ATOMIC, LOAD, STORE
from smsim.state.sizes import NEVER, NUM_BARRIERS, NUM_HALVES, NUM_PHASES, PLAIN

SHARED_REQUESTS = int(Event.SHARED_REQUESTS)
SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)
# Of the queue's instructions the first ones that may be served: ``entries/pair LDS.32 8-way, LDS.32 8-way``.
SERVED_FROM = 4
# A place of what brings no index comes back so many cycles later: ``entries/pair LDS.32 8-way, SHFL.BFLY``.
PLAIN_RETURN = 3
# What a pass of a store takes of the stage as data come from L2: ``partial_hits``.
STORE_BESIDE_FILLS = 2
# So many cycles behind the last pass of what came before a block barrier comes what is behind it, in a block of one
# warp: ``lone/fenced``; in others so many more, behind stores of several words later still: ``rounds``.
FENCE = 2
FENCE_OF_SEVERAL = 1


@rule
def place_free(m: Model) -> int:
    """When the LSU has a place: some cycles after the data stage has begun with what took one."""
    sm, p = m.sm[0], m.params[0]
    left = p["lsu_places"] - sm["data_count"]
    if left <= 0:
        return NEVER
    return sm["places"][left - 1]


@rule
def enter_data_queue(m: Model, w: int, pc: int, access: int, phase: int, now: int) -> None:
    """The instruction has come down the path, and waits for the data stage."""
    sm = m.sm[0]
    sm["lsu_free"] = now + 1
    entry = m.data_queue[sm["data_count"]]
    entry["warp"], entry["pc"], entry["access"], entry["ready"] = w, pc, access, now
    entry["phase"] = phase
    # Past what waits for its tags it goes, but not past any number.
    entry["behind"] = sm["came"] - m.params[0]["overtaken"]
    sm["data_count"] += 1


@rule
def serve_data_queue(m: Model, now: int) -> int:
    """Begin with what comes first in the queue as far as it may; returns when the next may."""
    sm = m.sm[0]
    wake_at = NEVER
    while sm["data_count"] > 0:
        place, at = next_served(m, now)
        if at > now:
            return min(wake_at, at)
        served = m.data_queue[place]
        pc = served["pc"]
        begin(m, first_half_free(m), served["warp"], pc, served["access"], served["phase"], now)
        sm["data_count"] -= 1
        for behind in range(place, sm["data_count"]):
            m.data_queue[behind] = m.data_queue[behind + 1]
        late = PLAIN_RETURN if m.instructions[pc]["entry_kind"] == PLAIN else 0
        give_back(m, now + m.params[0]["place_return"] + late)
        wake_at = now + 1  # a place will be free again
    return wake_at


@rule
def is_crowded(m: Model, now: int) -> bool:
    """Whether instructions that do not wait for any in front of L1 take all places from which the stage is served.

    Then an access through L1 comes to it only when one of them has begun, in turn with them.
    Seen on the H100: microbenchmarks ``together`` and ``mio/roles``.
    """
    if m.sm[0]["data_count"] < SERVED_FROM:
        return False
    last = m.data_queue[SERVED_FROM - 1]
    return last["ready"] <= now and overtaking_from(m, last["behind"]) <= now


@rule
def give_back(m: Model, at: int) -> None:
    """A place of the LSU is free at this time, behind those that were left before."""
    places = m.sm[0]["places"]
    for i in range(m.params[0]["lsu_places"] - 1, 0, -1):
        places[i] = places[i - 1]
    places[0] = max(at, places[0])


@rule
def next_served(m: Model, now: int) -> tuple[int, int]:
    """Which place of the queue is served next, and when: what waits for its own warp's passes lets others go first."""
    sm = m.sm[0]
    half = first_half_free(m)
    free = sm["half_free"][half]
    first, soonest = 0, NEVER
    for place in range(min(sm["data_count"], SERVED_FROM)):
        waiting = m.data_queue[place]
        at = max(waiting["ready"], free, m.warps[waiting["warp"]]["passing_until"])
        at = max(at, overtaking_from(m, waiting["behind"]), fenced_until(m, waiting["warp"], waiting["phase"]))
        for before in range(place):
            if m.data_queue[before]["warp"] == waiting["warp"]:
                at = NEVER
        at = between_passes(m, 1 - half, at)
        if at <= now:
            return place, at
        if at < soonest:
            first, soonest = place, at
    return first, soonest


@rule
def between_passes(m: Model, half: int, at: int) -> int:
    """When what may begin at ``at`` does: between the passes of what the stage serves in this half, not L1's."""
    until = m.sm[0]["half_free"][half]
    is_served = until > at and until == m.sm[0]["half_served"][half]
    return at + (is_served and (until - at) % m.params[0]["conflict_interval"] == 0)


@rule
def begin(m: Model, half: int, w: int, pc: int, access: int, phase: int, now: int) -> None:
    """The data stage begins with an instruction: from here on it is known when its result comes."""
    sm, code, p = m.sm[0], m.instructions[pc], m.params[0]
    passes, turns, groups, extra = 1, 1, 1, 0
    if access < 0:
        sm["events"][SHARED_WAVEFRONTS] += 1  # shuffles, S2R and what no lane executes: ncu's counters of kernels
    else:
        kind = m.kinds[m.accesses[access]["kind"]]
        wavefronts = wavefronts_of(m, pc, kind)
        sm["events"][SHARED_REQUESTS] += 1
        sm["events"][SHARED_WAVEFRONTS] += wavefronts
        passes = wavefronts * code["shared_passes"]
        turns = turns_of(m, pc, kind)
        extra = (passes - code["words"] * code["shared_passes"]) * p["conflict_interval"]
        if code["shared_service"] == LOAD:
            groups = kind["load_groups"]
            extra -= code["words"] - groups
    # The table's latency counts from the issue, with an empty queue, a free path, no conflict and no groups merged.
    done = now - code["path"] - code["queue_latency"] + code["latency"] + extra
    taken = passes
    if access >= 0 and code["shared_service"] == STORE:
        if quiet_from(m, now) > now:
            taken *= STORE_BESIDE_FILLS
        taken = go_between(m, taken, now)
    give_way_to_shared(m, taken, now)
    if code["takes_stage"]:
        hold_up(m, int(code["sm_interval"]), done, now)
    else:
        sm["half_free"][half] = now + max(taken, passes, turns) * p["conflict_interval"]
        sm["half_warp"][half], sm["half_served"][half] = w, sm["half_free"][half]
    sm["shared_until"] = max(sm["shared_until"], sm["half_free"][half])
    m.warps[w]["passing_until"] = now + passes * p["conflict_interval"]
    sm["l1_turn"] = 1
    hold_back(m, w, pc, phase)
    if code["write_barrier"] < NUM_BARRIERS:
        done = await_return(m, done, groups)
    if not code["takes_stage"]:
        sm["half_done"][half], sm["half_barrier"][half] = done, code["write_barrier"]
    finish(m, w, pc, done, now)


@rule
def hold_up(m: Model, cycles: int, done: int, now: int) -> None:
    """Both halves of the stage rest for so many cycles, what is being served too; later results come as much later.

    Seen on the H100: microbenchmarks ``mio/roles *, S2R.TID``; on an H200: ``met``.
    """
    sm = m.sm[0]
    delay_returns(m, cycles, done)
    for half in range(NUM_HALVES):
        if sm["half_free"][half] > now:
            served = m.warps[sm["half_warp"][half]]
            served["passing_until"] += cycles
            sm["half_done"][half] += cycles
            barrier, last_pass = sm["half_barrier"][half], sm["half_free"][half] - m.params[0]["conflict_interval"]
            if barrier < NUM_BARRIERS and last_pass > now:
                served["sb_release"][barrier] = max(served["sb_release"][barrier], sm["half_done"][half])
            sm["half_served"][half] += cycles
        sm["half_free"][half] = max(sm["half_free"][half], now) + cycles


@rule
def fenced_until(m: Model, w: int, phase: int) -> int:
    """When the LSU is done with what the warp's block issued before its last block barrier.

    Seen on the H100: microbenchmarks ``rounds``, with a barrier and without, at the same address and far from it.
    """
    return m.blocks[m.warps[w]["block_slot"]]["served_until"][(phase - 1) % NUM_PHASES]


@rule
def hold_back(m: Model, w: int, pc: int, phase: int) -> None:
    """What is issued in the next phase waits for this instruction's passes; stores of several words take longer."""
    code, block = m.instructions[pc], m.blocks[m.warps[w]["block_slot"]]
    until = block["served_until"]
    served = m.warps[w]["passing_until"] + FENCE
    if block["warps"] > 1:
        served += FENCE_OF_SEVERAL
        if code["sends_data"]:
            served += (code["words"] - 1) * m.params[0]["conflict_interval"]
    until[phase] = max(until[phase], served)


@rule
def wavefronts_of(m: Model, pc: int, kind: np.void) -> int:
    """Passes that the access needs, once."""
    service = m.instructions[pc]["shared_service"]
    if service == LOAD:
        return kind["wavefronts"]
    if service == STORE:
        return kind["store_wavefronts"]
    return kind["atomic_wavefronts"] if service == ATOMIC else 1


@rule
def turns_of(m: Model, pc: int, kind: np.void) -> int:
    """The least turns that the access takes, however few lanes are active."""
    service = m.instructions[pc]["shared_service"]
    if service == LOAD:
        return kind["load_turns"]
    return kind["store_turns"] if service == STORE else 1
