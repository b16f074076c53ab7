"""What an SMSP has of its own: its gates, its issue, its paths."""

import numpy as np

from smsim.state.layout import small_first
from smsim.state.sizes import (
    ALARMS,
    KEPT_COUNTS,
    MAX_FREEZES,
    NUM_BANKS,
    NUM_LATCHES,
    NUM_PIPES,
    NUM_QUEUES,
    NUM_REFUSALS,
    SLOT_BITS,
)

# The warps of an SMSP that wait for nothing but a place to go in.
GATE = np.dtype(
    [
        ("warps", np.int64),  # bit mask of slot // 4
        ("answer", np.int64),  # FREE, HELD, BUSY or FULL, in force since ``since``
        ("since", np.int64),
        ("until", np.int64),  # ask again in this cycle
        ("refused", np.int64),  # when its clocks, for all answers but FREE, went on last
        ("waited", np.int64, NUM_REFUSALS),  # these: cycles of HELD, BUSY, FULL so far
    ],
    align=True,
)

SMSP = small_first(
    [
        ("wake", np.int64),
        ("looked", np.int64),  # when it looked at its warps last
        ("pending", np.int64),  # cycles from then on for which there are alarms, bit mask
        ("later", np.int64),  # the first time, at the latest, of a warp without one
        ("alarms", np.int64, ALARMS),  # the warps to be looked at, by cycle, bit masks of slot // 4
        ("resident", np.int64),  # its warps, bit mask of slot // 4
        ("gates", np.int64),  # those at which a warp waits, bit mask
        ("passing", np.int64),  # the warp that may go in without waiting at its gate, bit mask of slot // 4
        ("last_warp", np.int64),
        ("gave_way", np.int64),  # warps that let others go first, bit mask of slot // 4
        ("found_full", np.int64),  # the last one does since the queue of its next instruction is full
        ("oldest_warps", np.int64),  # those of the oldest block, bit mask of slot // 4; the first in ``block_warps``
        ("block_count", np.int64),  # blocks in
        ("block_warps", np.int64, 1 << SLOT_BITS),  # warps of a block, from the oldest block on, bit masks of slot // 4
        ("last_block", np.int64),  # the last of them, as the SM counts its blocks
        ("last_count", np.int64),  # the last issue's place in the ring of ``issue_counts``, and in
        ("issued", np.int64, KEPT_COUNTS),  # the slots // 4 of the last issues
        ("issued_at", np.int64),  # the last one
        ("thread_instructions", np.int64),
        ("recent", np.int64),  # the cycles up to that in which it issued, bit mask
        ("pipe_free", np.int64, NUM_PIPES),
        ("freezes", np.int64),  # times that nothing issues because an instruction waits or will wait there
        ("stalled_until", np.int64),  # no stall count of its warps runs on behind that
        ("frozen_from", np.int64, MAX_FREEZES),
        ("frozen_until", np.int64, MAX_FREEZES),
        ("fp64_slot", np.int64),  # when the FP64 unit has the dispatcher
        ("dsetp_slot", np.int64),  # when the FP64 unit's predicate keeps back an ALU instruction's
        ("latched_until", np.int64, (NUM_BANKS, NUM_LATCHES)),  # last cycle in which an operand is wanted there
        ("forwarded", np.int64, NUM_BANKS),  # latches whose operand is not kept, since it was forwarded, bit mask
        ("ports_from", np.int64),  # the cycle of bit 0 of
        ("ports_taken", np.int64, NUM_BANKS),  # cycles in which the bank's port reads, bit mask
        ("results_from", np.int64),  # the cycle of bit 0 of
        ("results_due", np.int64, NUM_BANKS),  # those in which the XU's results want to be written
        ("results_late", np.int64, NUM_BANKS),  # those in which one is that could not
        ("bank_written_at", np.int64, NUM_BANKS),  # the last cycle in which the dispatcher's instructions write to it
        ("bank_writes", np.int64, NUM_BANKS),  # those before, back from that one, bit mask
        ("xu_stalls", np.int64),  # those in which the XU stands still for that
        ("xu_warp", np.int64),  # whose instruction the XU began with last
        ("xu_barrier", np.int64),  # the scoreboard barrier that it releases
        ("xu_done", np.int64),  # when it does
        ("xu_read_barrier", np.int64),  # the one that it releases when it has read its source
        ("xu_read", np.int64),  # when it does
        ("xu_next", np.int64),  # when the XU has begun with all that were sent to it
        ("operand_path_free", np.float64),  # this SMSP's path to the LSU
        ("moving_warp", np.int64),  # the instruction on that path, -1 for none
        ("moving_pc", np.int64),
        ("moving_access", np.int64),
        ("moving_to_tags", np.int64),  # 1 if it goes through L1's tag stage
        ("moving_phase", np.int64),
        ("moving_certainty", np.int64),
        ("moving_until", np.int64),  # it is at the path's end
        ("adu_path_free", np.int64),
        ("queue_head", np.int64, NUM_QUEUES),
        ("queue_count", np.int64, NUM_QUEUES),
        ("adu_back", np.int64, 2),  # when the places of the last two that left the ADU's for the path are free
        ("lg_left", np.int64),  # the last time that one of those left it that go to L1TEX
        ("lg_count", np.int64),  # accesses to global and local memory in the MIO's
        ("awaits_constants", np.int64),  # warps that wait for constants, bit mask of slot // 4, without a turn yet
        ("constants_turn", np.int64),  # another warp that waited for constants may go on
        ("landed", np.int64),  # when the last branch found its target
        ("came_to_land", np.int64),  # when it would have, without others
        ("landed_warp", np.int64),
        ("landing", np.int64),  # bit mask of slots: warps that have branched to a line that is there
        ("fetching", np.int64),  # a bit for each cycle in which a warp that has branched is fetched for
        ("fetching_from", np.int64),  # the lowest bit's cycle
    ]
)
