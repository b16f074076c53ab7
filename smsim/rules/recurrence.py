"""Whether SMSPs may stand as they once stood: a word that tells much of their state, kept by its repeats of a loop.

The words are ``marks``, shape (SMSPs, places, 2): a word, and the repeat of the leader's loop in which it came last.
"""

import numpy as np
from numpy.typing import NDArray

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.rule import rule
from smsim.state import COUNTER_BITS, NEVER, NUM_SMSPS

MIXER = 0x2545F4914F6CDD1D


@rule
def recurs(m: Model, marks: NDArray[np.int64]) -> bool:
    """Whether one whose leader's loop has just started again is due, or has a word that came before.

    That one is due again when the leader has gone on for as many repeats as lie between.
    """
    sm = m.sm[0]
    looped, sm["looped"], sm["recurring"] = sm["looped"], 0, 0
    while looped != 0:
        smsp = lowest(looped)
        looped &= looped - 1
        state = m.smsps[smsp]
        repeat = m.warps[state["leader"]]["repeat"]
        if state["due"] > 0:
            if repeat >= state["due"]:
                sm["recurring"] |= 1 << smsp
            continue
        word = word_of(m, state["led"], state["issued_at"])
        mark = marks[smsp, word >> 20 & (marks.shape[1] - 1)]
        if mark[0] == word:
            state["due"] = 2 * repeat - mark[1]
            sm["recurring"] |= 1 << smsp
        mark[0], mark[1] = word, repeat
    return sm["recurring"] != 0


@rule
def word_of(m: Model, smsps: int, now: int) -> int:
    """A word, not 0, of some SMSPs: where each warp stands, when it is looked at again, how often it issued."""
    word = 1
    while smsps != 0:
        smsp = lowest(smsps)
        smsps &= smsps - 1
        state = m.smsps[smsp]
        resident = state["resident"]
        while resident != 0:
            slot = lowest(resident)
            resident &= resident - 1
            word = mixed(word ^ m.warps[slot * NUM_SMSPS + smsp]["pc"])
            at = m.wakes[smsp, slot]
            if at < NEVER:
                word = mixed(word ^ (at - now))
        for bit in range(COUNTER_BITS):
            word = mixed(word ^ m.issue_counts[smsp, state["last_count"], bit])
        word = mixed(word ^ state["gave_way"])
    return word | 1


@rule
def mixed(word: int) -> int:
    """A word whose bits all depend on those of another."""
    word *= MIXER
    return word ^ word >> 29
