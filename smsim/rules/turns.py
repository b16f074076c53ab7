"""Who keeps its turn: a warp that has issued goes on until something but its stall count holds it back.

A yield bit, a full queue, a block barrier and whatever the warp waits for on a scoreboard end its turn; then others go
first. A warp that its pipe, being busy, has kept waiting goes on if it issued last of all; but once another has gone in
between it has no more right than those. Seen on the H100: microbenchmarks ``order``, ``turns`` and ``yields``, rows of
``paced`` by three and four warps, and for block barriers all rows that begin with one; ``crossing/loop of * IMAD``.
"""

from smsim.model import Model
from smsim.reasons import Reason
from smsim.rules.rule import rule
from smsim.state import NUM_SMSPS

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
    smsp["found_busy"] &= ~(1 << slot)


@rule
def held_by(m: Model, w: int, reason: int) -> None:
    """This holds the warp back."""
    if ENDS_TURN >> reason & 1:
        give_way(m, w)
