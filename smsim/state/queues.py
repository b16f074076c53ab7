"""What waits in queues: for a unit, for the data stage, for L1, for L2."""

import numpy as np

# ``phase``: of its block, see BLOCK, when it was issued; ``certainty``: :mod:`smsim.rules.certain_hits`.
QUEUED = np.dtype([(name, np.int64) for name in ("warp", "pc", "access", "ready", "phase", "certainty")], align=True)

# An instruction in the queue of the data stage, and what has to have left the queue in front of L1 before.
SERVED = np.dtype([(name, np.int64) for name in ("warp", "pc", "access", "ready", "phase", "behind")], align=True)

# An access in the queue in front of L1: when it came there, and when it was issued had it waited nowhere before.
LOOKED_UP = np.dtype([(name, np.int64) for name in ("warp", "pc", "access", "issued", "came", "certainty")], align=True)


# A load or atomic that waits for L2, the so-manieth: when its data arrive, when it is ready for its passes, NEVER while
# others of its warp have to make theirs, how many sectors, its passes then and those of them that go at once, in how
# many turns its lines were looked up, and how long after the first of its passes its data are the warp's; until when it
# makes them if loads that hit leave it all cycles.
_OF_FILL = (
    *("number", "warp", "pc", "arrives", "there", "sectors", "banks", "passes"),
    *("at_once", "turns", "late", "given", "until"),
)
FILL = np.dtype([(name, np.int64) for name in _OF_FILL], align=True)

# An LDC that waits for a line of constants: its warp, instruction and access, the place among the sectors that this
# touches and the line up to which it has looked, -1 for none, when it looks for the next one, when it has all its data
# if no further line misses, and from when to when it comes again.
_OF_LATE_LDC = ("warp", "pc", "access", "place", "line", "at", "done", "again", "gone", "holds")
LATE_LDC = np.dtype([(name, np.int64) for name in _OF_LATE_LDC], align=True)
