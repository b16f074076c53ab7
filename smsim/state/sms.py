"""What the SMSPs of an SM share, and its blocks."""

import numpy as np

from smsim.description.checks import MOST_ATOMIC_PACKETS
from smsim.events import Event
from smsim.state.layout import small_first
from smsim.state.sizes import (
    ADU_ROW,
    MAX_AWAITED_LINES,
    MAX_DATA_QUEUE,
    MAX_HIT_TIMES,
    MAX_L1_QUEUE,
    MAX_LDCS,
    MAX_LINES,
    MAX_OVERTAKEN,
    MAX_READS,
    MAX_STORE_LINES,
    NUM_ADU_PLACES,
    NUM_BLOCK_BARRIERS,
    NUM_DATA_BANKS,
    NUM_ENTRY_KINDS,
    NUM_HALVES,
    NUM_LOOKED_UP,
    NUM_PHASES,
    NUM_PLACED_TURNS,
    NUM_PLANES,
    NUM_RETURNS,
    NUM_ROWS,
    NUM_SECTORS,
    NUM_SLICES,
    NUM_SMSPS,
    SLICE_LINES,
    STORE_LINES,
)

BLOCK = np.dtype(
    [
        ("trace_block", np.int64),  # -1 when the slot is free
        ("warps", np.int64),  # resident
        ("running", np.int64),  # not exited
        ("arrived", np.int64, NUM_BLOCK_BARRIERS),
        ("expected", np.int64, NUM_BLOCK_BARRIERS),  # warps
        ("phase", np.int64),  # its number, from 0 on again and again
        ("served_until", np.int64, NUM_PHASES),  # the LSU is done with what was issued in that phase
        ("answered", np.int64),  # L2 has answered the last of its reductions
        ("free_from", np.int64),  # another block may come into the slot
    ],
    align=True,
)

SM = small_first(
    [
        ("mio_wake", np.int64),
        ("dispatch_wake", np.int64),
        ("index", np.int64),  # among the SMs that are simulated together
        ("side", np.int64),  # the partition of L2 that is near
        ("gpc", np.int64),  # whose requests for the same sectors L2 answers together, -1 for an SM alone
        ("cpc", np.int64),  # with whose SMs it shares the way to L2, -1 where not all SMs are simulated
        ("crosses", np.int64),  # when the last request of the load that is looked up leaves its CPC, 0 for not
        ("last_block", np.int64),  # launched here, index into the trace's blocks
        ("launched_blocks", np.int64),
        ("next_smsp", np.int64),
        ("launched", np.int64),  # warps so far
        ("running_warps", np.int64),  # not exited
        ("running_blocks", np.int64),
        ("ending_blocks", np.int64),  # of those, all whose warps have exited
        ("block_slots", np.int64),  # blocks that fit at once
        ("mio_first", np.int64),  # SMSP at which the MIO begins, behind the last whose instruction came to the ADU
        ("l1_next", np.int64),  # SMSP that the queue in front of L1 looks at first
        ("l1tex_count", np.int64),  # local and global accesses that have issued and not come to L1TEX
        ("beats", np.int64, NUM_SMSPS),  # of the stores on the paths those left
        ("beat_at", np.int64, NUM_SMSPS),  # when the next of each may go
        ("beats_from", np.int64),  # so they were when a store took its path last
        ("beat_turn", np.int64),  # the SMSP whose beat went last
        ("beats_ahead", np.int64, NUM_SMSPS),  # the same as far as it is foreseen
        ("beat_ahead_at", np.int64, NUM_SMSPS),
        ("asked_first", np.int64),  # SMSP that is asked first which of them enter the LSU
        ("lsu_free", np.float64),  # another SMSP's instruction may enter the LSU
        ("half_free", np.int64, NUM_HALVES),  # the data stage has made all passes of an instruction
        ("half_warp", np.int64, NUM_HALVES),  # whose instruction each has begun with last
        ("half_served", np.int64, NUM_HALVES),  # when it has made that one's passes
        ("half_barrier", np.int64, NUM_HALVES),  # of that one's result
        ("half_done", np.int64, NUM_HALVES),  # when that comes
        ("halved_until", np.int64),  # the last passes of L1 that it makes in one half, beside shared memory
        ("shared_until", np.int64),  # the last passes of shared memory that it has begun with
        ("data_count", np.int64),  # instructions in its queue
        # When results go back from it, of the last instructions whose do.
        ("returns_from", np.int64, NUM_RETURNS),
        ("returns_until", np.int64, NUM_RETURNS),
        ("places", np.int64, MAX_DATA_QUEUE),  # when those of the LSU are free that were left, the last one first
        ("port_taken", np.int64, NUM_SMSPS),  # when the last instruction of the ADU of each SMSP comes through its port
        ("entry_turn", np.int64),  # the kind that enters first
        ("entries", np.int64),  # of it in this turn
        ("entry_next", np.int64, NUM_ENTRY_KINDS),  # SMSP that each kind looks at first
        ("adu_places", np.int64, NUM_ADU_PLACES),  # the ADU is done with an instruction
        ("adu_free", np.int64),
        ("barrier_free", np.int64),  # when the unit of the block barriers takes another instruction
        ("adu_entered", np.int64),  # when the last instruction came into the row in front of it
        ("adu_row", np.int64, ADU_ROW),  # when it begins with the last ones that came there, in order
        ("ldc_free", np.int64),  # LDCs that have missed come again until then
        ("late_ldcs", np.int64),  # so many LDCs wait for lines
        ("ldc_places", np.int64, MAX_LDCS),  # when the places for LDCs are free
        ("l1_queue", np.int64, MAX_L1_QUEUE),  # when its places are free, a ring
        ("l1_queue_head", np.int64),  # the place that has been taken for longest
        ("l1_queue_next", np.int64),  # the first of those of what waits there for its tags
        ("l1_waiting", np.int64),  # so many accesses do
        ("l1_waiting_head", np.int64),  # the first of them
        # Of the accesses counted there so many hit for certain, and the number of what is: another one where nothing is
        # any more.
        ("certain", np.int64),
        ("certainty", np.int64),
        ("l1_turn", np.int64),  # one of them may go to the data stage though what waits there takes all places
        # What may be overtaken, loads and shares of stores: so many have come, of so many is known when, a ring.
        ("came", np.int64),
        ("known", np.int64),
        ("overtaken", np.int64, MAX_OVERTAKEN),
        ("tag_free", np.int64),  # L1 takes the next instruction from that queue
        ("slice_free", np.int64, NUM_SLICES),  # of the tag stage
        ("load_data_free", np.int64),  # L1's data stage
        ("only_written", np.int64),  # cycles in which it waits for registers, of those that it is taken for
        ("row_free", np.int64, NUM_ROWS),  # its rows, for loads that hit
        ("row_from", np.int64, NUM_ROWS),  # they make passes since then
        ("row_passes", np.int64, NUM_ROWS),  # of the last in each, if it is a load
        ("row_lost", np.int64, NUM_ROWS),  # passes that the load there has lost since it last made one
        ("row_bank_passes", np.int64, (NUM_ROWS, NUM_SECTORS)),  # of these those in each bank, by sector, bits of each
        # Of the last reads of sectors that leave for L2, by their cycle: when, of which banks, and whether a row has
        # lost a pass to it.
        ("read_last", np.int64, NUM_ROWS),
        ("read_at", np.int64, (NUM_ROWS, MAX_READS)),
        ("read_banks", np.int64, (NUM_ROWS, MAX_READS)),
        ("read_both", np.int64, (NUM_ROWS, MAX_READS)),
        ("read_held", np.int64, (NUM_ROWS, MAX_READS)),
        ("placed_loads", np.int64, NUM_LOOKED_UP),  # those that wait in front of the rows begin then
        # Turns of lines that miss have places between tag and data stage until then, and which is free first.
        ("placed_turns", np.int64, NUM_PLACED_TURNS),
        ("placed_turn", np.int64),
        # When the lines of stores that waited last for places among those that gather had them, in no order.
        ("placed", np.int64, MAX_STORE_LINES),
        ("slice_placed", np.int64, NUM_SLICES),  # the last one of each slice
        ("load_begun", np.int64),  # the last load that L1 holds, with its passes in a row
        ("loads_held_until", np.int64),  # by a store or atomic that has waited for its warp's loads
        ("read_until", np.int64),  # when the lines that are known to leave have been read
        ("alone_passed", np.int64),  # when the last store that began alone has made its passes
        ("mingled", np.int64),  # whether the last store found lines of others waiting
        ("parts_until", np.int64),  # lines of a store wait for places: those of loads are looked up a few at a time
        ("parts_begun", np.int64),  # the last of such began its passes
        ("places_taken", np.int64),  # when the last such store of more lines than find places has
        ("bank_held_until", np.int64, NUM_DATA_BANKS),  # an atomic's passes hold a bank of L1's data
        ("banks_held_until", np.int64),  # the last of those
        ("slice_lines", np.int64, NUM_SLICES),  # whose data L1 holds or waits for
        ("awaited_lines", np.int64, NUM_SLICES),  # of these such as have lost their ways since, but loads wait for them
        ("awaited_until", np.int64, (NUM_SLICES, MAX_AWAITED_LINES)),  # when loads have these
        ("hand", np.int64, NUM_SLICES),  # the set of each slice that gives up a line next
        ("fill_free", np.int64),  # the same for loads that waited for L2
        ("alone_until", np.int64),  # the last load that hit has made its passes, had it been alone
        ("hits_from", np.int64, MAX_HIT_TIMES),  # when loads that hit have the data stage, a ring
        ("hits_until", np.int64, MAX_HIT_TIMES),
        ("hit_times_head", np.int64),
        ("hit_times", np.int64),
        ("fills_head", np.int64),  # of what waits for data from L2, the first
        ("fills", np.int64),
        ("writing_from", np.int64),  # since then stores or reductions make passes without a pause in some banks
        ("writing_until", np.int64),
        ("writing_banks", np.int64),  # a bit mask
        ("fill_turns", np.int64),  # in which their lines were looked up
        # Of the load whose lines are looked up: of each line its slice and whether it waits for L2; of those lines that
        # a group of lanes touches how many are in each slice, and their banks; the words counted in each bank.
        ("looked", np.int64, MAX_LINES),
        ("comes", np.int64, MAX_LINES),
        ("turn_comes", np.int64, MAX_LINES),
        ("turn_lines", np.int64, MAX_LINES),
        ("turn_waits", np.int64, MAX_LINES),
        ("in_slice", np.int64, NUM_SLICES),
        ("by_slice", np.int64, (NUM_SLICES, MAX_LINES)),
        ("planes", np.int64, NUM_PLANES),
        ("fills_asked", np.int64),  # so many have waited for data from L2
        ("fill_number", np.int64),  # which of these has begun with its passes last
        ("fill_warp", np.int64),  # whose that is
        ("takes_oldest", np.int64),  # it was the one looked up first of those that were ready, or ready for longest
        ("fills_behind", np.int64),  # the last ``fills``, so many, wait for others of their warps
        ("fill_turn", np.int64),  # how many of those are a turn's
        ("arriving_until", np.float64),  # the data of those that are ready came from L2
        # Of each row of the data stage from when to when a store has it and waits, since data come from L2.
        ("held_from", np.int64, NUM_ROWS),
        ("held_until", np.int64, NUM_ROWS),
        ("l2_port_free", np.float64),  # from L2
        ("store_port_free", np.float64),  # to L2
        ("lines_left", np.float64),  # to loads behind what has left through it
        ("request_free", np.float64),  # to loads behind loads
        ("idle_gone", np.int64),  # the last line went to it that no store came to any more
        ("lasting_packets", np.int64),  # of the last access in the data stage, if it makes a pass for each
        # When the last lines began to leave through it, a ring.
        ("leaving", np.int64, MAX_STORE_LINES),
        ("leaving_head", np.int64),  # the oldest of them
        ("path_holder", np.int64),  # the SMSP whose fence within the block keeps others' paths empty, -1 for none
        ("paths_free", np.int64),  # when instructions may take the paths again behind it
        ("fence_came", np.int64),  # the last fence within the GPU
        ("flush_begins", np.int64),  # the last flush for those
        ("dram_until", np.int64),  # what came from DRAM is there then, if no stores make it later
        ("atomics", np.int64, MOST_ATOMIC_PACKETS),  # when L2 begins with packets that left, a ring
        ("atomic_slices", np.int64, MOST_ATOMIC_PACKETS),  # and the slice of L2 that each went to
        ("l2_takes", np.float64),  # when L2 takes another packet of its stores, or request for a line
        ("rid_until", np.int64),  # it has reductions with which L2 has not begun
        ("atomics_head", np.int64),  # the place of the one that left first
        ("store_lines", np.int64),  # that gather stores
        ("store_lines_head", np.int64),  # the one to which no store has come for longest
        ("store_order", np.int64, STORE_LINES),  # where they stand, a ring in the order of that
        # How many of them each slice of L1 has, and when it has had the places of the last that left again, a ring.
        ("slice_waiting", np.int64, NUM_SLICES),
        ("slice_freed", np.int64, (NUM_SLICES, SLICE_LINES)),
        ("slice_freed_head", np.int64, NUM_SLICES),  # the oldest of them
        ("last_slice", np.int64),  # of which a line left last
        ("places_wanted", np.int64),  # lines wait for places until then, and others leave
        ("slice_sent", np.int64, NUM_SLICES),  # when the last line of each has left,
        ("slice_goes", np.int64, NUM_SLICES),  # and of those that are on their way, as far as is known
        ("constants_late", np.int64),  # by so much the first line of constants comes later
        ("constants_free", np.int64),  # another SMSP's cache of operands may be given a line
        ("convergence_free", np.int64),  # when the convergence unit takes another instruction
        ("last_exit", np.int64),
        ("awaits_dram", np.int64),  # whether what was last asked of L2 had to come, or was to come, from DRAM
        ("looped", np.int64),  # 1 if the loop that is watched has started again
        ("events", np.int64, len(Event)),
    ]
)

# Whether SMSPs stand as they once stood (:mod:`smsim.rules.recurrence`).
MARKS = 256
WATCH = np.dtype(
    [
        ("leader", np.int64),  # the warp whose loop is watched, of
        ("smsps", np.int64),  # these, bit mask
        ("due", np.int64),  # the cycle from which the loop's next start is reported in any case
        ("word", np.int64),  # of the start that is reported, else 0
        ("known", np.int64),  # so many of
        ("marks", np.int64, MARKS),  # words of other starts
    ],
    align=True,
)
