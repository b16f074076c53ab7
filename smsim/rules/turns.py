"""Who keeps its turn: a warp that has issued goes on until something but its stall count holds it back.

A yield bit, a block barrier, whatever the warp waits for on a scoreboard, and a queue that is full in the cycle behind
an issue end its turn; then others go first. The warp that issued last of all goes on before others that keep their
turns; among these, once another has gone in between, be it in a stall count, a branch or because of a busy pipe,
counters of issues choose. Seen on the H100: microbenchmarks ``order``, ``turns``, ``yields`` and ``circling``, rows of
``paced`` by three and four warps, and for block barriers all rows that begin with one; ``crossing/loop of * IMAD``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_SMSPS

# What ends a turn, as a bit mask of reasons.
ENDS_TURN = 1 << int(Reason.LONG_SCOREBOARD) | 1 << int(Reason.SHORT_SCOREBOARD) | 1 << int(Reason.BARRIER)


@rule
def give_way(m: Model, w: int) -> None:
    """The warp lets others go first until it issues again."""
    m.smsps[w % NUM_SMSPS]["gave_way"] |= 1 << (w // NUM_SMSPS)


@rule
def take_turn(m: Model, w: int, yields: bool) -> None:
    """The warp issues: it keeps its turn unless its control code yields."""
    slot = w // NUM_SMSPS
    smsp = m.smsps[w % NUM_SMSPS]
    smsp["gave_way"] = smsp["gave_way"] & ~(1 << slot) | yields << slot


@rule
def held_by(m: Model, w: int, reason: int) -> None:
    """This holds the warp back."""
    if ENDS_TURN >> reason & 1:
        give_way(m, w)
