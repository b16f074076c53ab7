"""What SMs share: the block dispatcher, and what serves all of them."""

import numpy as np

NUM_SIDES = 2
NUM_GPCS = 8
CPCS_OF_GPC = 3
NUM_CPCS = NUM_GPCS * CPCS_OF_GPC
ASKED_PLACES = 512  # lines whose last request is noted for each GPC

# What the SMs that are simulated together share: the block dispatcher, L2 and DRAM.
CHIP = np.dtype(
    [
        ("sms", np.int64),
        ("next_block", np.int64),  # behind those that every SM starts with
        ("dispatch_free", np.float64),  # when the dispatcher can hear of the next block's end
        ("refreshed", np.int64),  # cycles before the launch in which DRAM's first bank began to be refreshed last
        ("dram_read", np.int64),  # when DRAM was asked for something last
        ("brought", np.int64),  # when what other SMs ask of it first arrives, 0 when they have not asked yet
        ("row", np.int64),  # which it read from then
        ("found", np.int64, NUM_SIDES),  # where each partition had the line that was looked for last
        # When DRAM's last sector arrives, L2 begins with the last atomic, the dispatcher has heard of all blocks' ends.
        ("last_ready", np.int64),
        ("stored", np.float64),  # cycles that stores have made DRAM's sectors wait that were to be written into L2
    ],
    align=True,
)

# What serves all SMs, one sector after the other: L2's loads, what is written into L2 by stores and from DRAM, the link
# between its partitions, DRAM, DRAM if it had nothing but writes to do; and of atomics each of L2's slices. Where all
# SMs are simulated also each slice for loads, the links from L2's parts to each GPC, and the way of each CPC to L2.
L2_LOADS, L2_FILLS, LINK, DRAM, DRAM_WRITES, FIRST_L2_SLICE = range(6)
NUM_L2_SLICES = 80
L2_PARTS = 5  # of a partition
PART_SLICES = NUM_L2_SLICES // NUM_SIDES // L2_PARTS
FIRST_LOAD_SLICE = FIRST_L2_SLICE + NUM_L2_SLICES
FIRST_LINK = FIRST_LOAD_SLICE + NUM_L2_SLICES
FIRST_CPC = FIRST_LINK + NUM_GPCS * L2_PARTS
NUM_DRAM_PAIRS = 2 * NUM_L2_SLICES  # of neighbouring lines: each channel has two in 1 KB
NUM_SERVERS = FIRST_CPC + NUM_CPCS
IDLE_SPAN, IDLE_SPANS = 128, 32  # cycles, and of how many such spans it is known how much is left of them
SERVER = np.dtype(
    [
        ("free", np.float64),  # behind all that it was asked for
        ("idle_until", np.float64),  # the last cycle for which it had nothing to do
        ("idle", np.float64, IDLE_SPANS),  # cycles left before that, by span
        ("load", np.float64),  # cycles of its work that was asked for lately
        ("asked", np.int64),  # when it was asked for last
    ],
    align=True,
)

# How long a CPC's stores have made what goes to L2 behind them wait, all together, up to each of so many spans, and the
# last span for which that is known.
PUSHED = np.dtype([("until", np.float64, IDLE_SPANS), ("last", np.int64)], align=True)
