"""What a warp slot has: its warp, the results of its instructions, its asynchronous copies."""

import numpy as np

from smsim.in_lines import LINE_BYTES
from smsim.state.layout import in_lines
from smsim.state.sizes import FIRST_PIPE, MAX_GROUPS, NUM_REFUSALS, NUM_SCOREBOARDS

# What every issue touches comes first, so that it shares few cache lines.
WARP = in_lines(
    [
        # Cursor into the trace.
        ("pc", np.int64),
        ("run_end", np.int64),
        ("mask", np.int64),
        ("lanes", np.int64),  # bits set in the mask
        ("sibling", np.int64),  # lanes that the last branch parted from those, 0 once they have gone on
        # When what holds the warp back ends.
        ("stopped_until", np.int64),  # DEPBAR, sleep, drain
        ("barrier_from", np.int64),  # the block barrier that it reached last holds it
        ("barrier_until", np.int64),  # it lets go
        ("resolving_from", np.int64),  # a branch is being resolved, from here
        ("resolving_until", np.int64),  # to here
        ("stall_until", np.int64),  # stall count of the previous instruction
        ("fetch_until", np.int64),  # the next instruction arrives in the instruction buffer
        ("constant_until", np.int64),  # the constants that it waits for arrive
        ("line_until", np.int64),  # the line behind a branch's target arrives
        ("stream", np.int64),  # where the lines brought ahead leave off, negative: to which instruction they go on
        ("asks_for", np.int64),  # a line on its way that is to be asked for, -1: none,
        ("asks_at", np.int64),  # when,
        ("asked_there", np.int64),  # and when that is there
        ("lands_at", np.int64),  # when what it has branched to last is there
        ("branch_met", np.int64),  # when a line that comes ahead of it leads elsewhere
        ("results_until", np.int64),  # all fixed-latency results have reached readers of every class
        # Accounting.
        ("reason", np.int64),  # the Reason in force since ``since``
        ("shown", np.int64),  # the instruction that its cycles count for: behind a branch, at first the next one
        ("shown_until", np.int64),
        ("since", np.int64),
        ("gate", np.int64),  # where it waits with others, -1 for none
        ("clocks", np.int64, NUM_REFUSALS),  # of the gate, when the warp came: ``waited``
        ("status", np.int64),
        ("sb_pending", np.int64, NUM_SCOREBOARDS),  # producers whose release time is not known yet
        ("sb_release", np.int64, NUM_SCOREBOARDS),  # latest release time that is known
        # The chip's ``stored`` then, or the CPC's PUSHED, NEVER if L2 was not waited for.
        ("sb_stored", np.float64, NUM_SCOREBOARDS),
        (
            "sb_crosses",
            np.int64,
            NUM_SCOREBOARDS,
        ),  # when the load left its CPC; 0 where the chip's count
        ("sb_producer", np.int64, NUM_SCOREBOARDS),  # whose results it waits for last, -1 if they wait for no port
        ("sb_reason", np.int64, NUM_SCOREBOARDS),  # the Reason of a warp that waits on it
        ("access", np.int64),
        ("run", np.int64),
        ("step", np.int64),
        ("repeat", np.int64),
        ("leads", np.int64),  # 1 if its loop is watched for a steady state
        ("stopped_by", np.int64),  # the Reason for ``stopped_until``
        ("barrier", np.int64),  # the block barrier that it reached last
        ("sent_until", np.int64),  # its last store has left, its last result has come: what the exit waits for
        ("passing_until", np.int64),  # the data stage has made all passes of its last instruction there
        ("loading_until", np.int64),  # the same of its last load from L1
        ("storing_until", np.int64),  # and of its last store there
        ("stored_until", np.int64),  # of its last one whose lines may all gather others
        ("queued", np.int64),  # all its instructions there: the slot is not given away before they have left
        ("returned", np.int64, FIRST_PIPE),  # last result of each queue's gate
        ("block_slot", np.int64),
        ("phase", np.int64),  # of its block
        ("trace_warp", np.int64),
        ("launch_order", np.int64),  # smaller is older
    ]
)
# What of a warp is enough to walk through its history: many of them lie in few lines of the host's caches.
WALKER = np.dtype(
    [
        (name, WARP[name])
        for name in ("pc", "run_end", "mask", "lanes", "access", "run", "step", "repeat", "leads", "trace_warp")
    ]
)

# A warp's asynchronous copies, and the groups in which LDGDEPBAR puts those that issued before it.
COPIES = np.dtype(
    [
        ("issued", np.int64),  # so many copies
        ("known", np.int64),  # so many of which it is known when they are done
        ("done", np.int64),  # and of these the last is
        ("groups", np.int64),  # so many
        ("over", np.int64),  # so many, in order, of which it is known when all their copies are done
        ("last", np.int64),  # when those of the last of these are
        ("awaited", np.int64),  # the group that DEPBAR waits for before that is known, 0 for none: they count from 1
        ("copies", np.int64, MAX_GROUPS),  # of each group how many had issued, a ring
        ("passed", np.int64, MAX_GROUPS),  # when its LDGDEPBAR had no copies to wait for, NEVER if not known yet
        ("done_at", np.int64, MAX_GROUPS),  # when its copies are done
        ("barrier", np.int64, MAX_GROUPS),  # that its LDGDEPBAR gives back then
    ],
    align=True,
)

# The last fixed-latency write to a register: when it reaches a reader of its own class, and its class, -1 for none.
RESULT = np.dtype([("ready", np.int64), ("writer", np.int64)], align=True)


def result_places(registers: int) -> int:
    """The places of a warp's results for so many registers in use, and some more: an odd number of cache lines."""
    return (-(-registers * RESULT.itemsize // LINE_BYTES) | 1) * (LINE_BYTES // RESULT.itemsize)
