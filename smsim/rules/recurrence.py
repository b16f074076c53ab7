"""Whether SMSPs may stand as they once stood, when a loop starts again: a word tells much of their state."""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.rule import apart, rule
from smsim.state.sizes import COUNTER_BITS, NEVER, NUM_SMSPS

MIXER = 0x2545F4914F6CDD1D


@apart
def recurs(m: Model, watch: np.ndarray) -> bool:
    """Whether the start of the watched loop is to be reported: it is due, or its word is among the marks."""
    m.sm[0]["looped"] = 0
    now = m.smsps[watch[0]["leader"] % NUM_SMSPS]["issued_at"]
    word = word_of(m, watch[0]["smsps"], now)
    if watch[0]["due"] > now and not is_marked(watch, word):
        return False
    watch[0]["word"] = word
    return True


@rule
def is_marked(watch: np.ndarray, word: int) -> bool:
    """Whether a word is among the marks."""
    found = False
    for i in range(watch[0]["known"]):
        found |= watch[0]["marks"][i] == word
    return found


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
