"""The way of stores' data to L1TEX: a beat a cycle for all SMSPs in turn, of one SMSP's every other cycle.

A store takes a beat for each register that it sends but one of its addresses: to global memory, with addresses of two,
one more than to local memory. One and two SMSPs do not hold each other up, three and four do, each for as many cycles
for each of its registers as there are more than two of them.
Seen on the H100: microbenchmarks ``released`` and ``local``.
"""

import numpy as np

from smsim.code import LG
from smsim.model import Model
from smsim.rules.queues import since_issue
from smsim.rules.rule import apart, rule
from smsim.state.sizes import NEVER, NUM_BARRIERS, NUM_SMSPS

PACE = 2  # cycles from one beat of an SMSP to its next


@apart
def send_data(m: Model, smsp: int, now: int) -> None:
    """What an SMSP has put on its path now may be a store: its beats go in turn with those of the others."""
    sm, way = m.sm[0], m.smsps[smsp]
    code = m.instructions[way["moving_pc"]]
    if not stores_through_l1(m, way["moving_pc"]):
        return
    sm["beat_turn"] = pass_beats(m, sm["beats"], sm["beat_at"], False, now + 1)
    sm["beats_from"] = now + 1
    beats = code["path"] // PACE - 1
    if sm["beats"][smsp] == 0:
        sm["beat_at"][smsp] = max(sm["beat_at"][smsp], now + code["path"] - PACE * (beats - 1))
    sm["beats"][smsp] += beats
    sending = 0
    for other in range(NUM_SMSPS):
        sending += sm["beats"][other] > 0
        sm["beats_ahead"][other], sm["beat_ahead_at"][other] = sm["beats"][other], sm["beat_at"][other]
    if sending > PACE:
        pass_beats(m, sm["beats_ahead"], sm["beat_ahead_at"], True, NEVER)


@rule
def stores_through_l1(m: Model, pc: int) -> bool:
    """Whether an instruction is a store to global or local memory."""
    code = m.instructions[pc]
    return code["unit"] == LG and code["is_store"] and not code["is_atomic"]


@rule
def pass_beats(m: Model, beats: np.ndarray, beat_at: np.ndarray, holds_up: bool, until: int) -> int:
    """Let beats go, in turn, before ``until``; returns whose turn was last.

    Args:
        m: the SM.
        beats: of each SMSP those left.
        beat_at: of each SMSP when the next may go.
        holds_up: whether each store has read its sources with its last beat.
        until: the cycle.
    """
    at, turn = m.sm[0]["beats_from"], m.sm[0]["beat_turn"]
    while True:
        first, soonest = -1, NEVER
        for i in range(NUM_SMSPS):
            smsp = (turn + 1 + i) % NUM_SMSPS
            if beats[smsp] > 0 and max(at, beat_at[smsp]) < soonest:
                first, soonest = smsp, max(at, beat_at[smsp])
        if soonest >= until:
            return int(turn)
        turn, at = first, soonest + 1
        beats[first] -= 1
        beat_at[first] = soonest + PACE
        if holds_up and beats[first] == 0:
            keep_sources(m, first, soonest)


@rule
def keep_sources(m: Model, smsp: int, until: int) -> None:
    """The store on an SMSP's path, if it is there still, reads its sources no sooner, and stays there until then."""
    way = m.smsps[smsp]
    code = m.instructions[way["moving_pc"]]
    if way["moving_warp"] < 0 or way["moving_until"] >= until or not stores_through_l1(m, way["moving_pc"]):
        return
    if code["read_barrier"] < NUM_BARRIERS:
        release = m.warps[way["moving_warp"]]["sb_release"]
        read = since_issue(m, way["moving_pc"], until - code["path"]) + code["read_latency"]
        release[code["read_barrier"]] = max(release[code["read_barrier"]], read)
    way["moving_until"] = until
