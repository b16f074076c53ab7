"""The state of one SM: NumPy records that the rules read and change, and that both drivers share.

Times are cycles since the first block's launch; ``NEVER`` stands for "not known yet: somebody will wake us". Every
number is an int64, so that each rule is compiled once.
"""

from typing import Any

import numpy as np

from smsim.description.checks import MOST_ATOMIC_PACKETS, MOST_WAITING
from smsim.events import Event
from smsim.in_lines import LINE_BYTES

NEVER = 1 << 62
NUM_SMSPS = 4
NUM_BARRIERS = 6
# Behind the barriers that control codes name: accesses wait there for a fence.
FENCE_BARRIER = NUM_BARRIERS
NUM_SCOREBOARDS = NUM_BARRIERS + 1
MAX_GROUPS = 64  # of asynchronous copies, of a warp, that DEPBAR tells apart
NUM_BLOCK_BARRIERS = 16
NUM_PHASES = 4  # of a block, a new one behind each block barrier: so many that are told apart
NUM_PIPES = 16
NUM_GENERAL = 256  # slots of R0-R255, the first; behind them those of UR0-UR63, P0-P7, UP0-UP7, B0-B15
PREDICATES, UNIFORM_PREDICATES = 320, 328  # the first slots of each
SLOT_BITS = 6  # a warp's number among its SMSP's, slot // 4, fits in
COUNTER_BITS = 4  # of how often a warp has issued of late
KEPT_COUNTS = 8  # issues of an SMSP of which it is known how they left the counters; a power of two

# What a warp slot holds.
EMPTY, RUNNING, AT_BARRIER, EXITED = range(4)

# The queues of an SMSP: special functions; memory and shuffles; indexed constants, uniform special registers and other
# instructions of the ADU.
XU_QUEUE, MIO_QUEUE, ADU_QUEUE = range(3)
NUM_QUEUES = 3

# Where an instruction goes in: the queue with that number, or the MIO's for local and global memory, which stalls under
# another name; behind those, a pipe; the last is the dispatcher alone.
LG_GATE = NUM_QUEUES
FIRST_PIPE = NUM_QUEUES + 1
NUM_GATES = FIRST_PIPE + NUM_PIPES + 1
# What a gate says; a warp with an access to global or local memory finds the queue busy where it holds such accesses
# alone, else full.
FREE, HELD, BUSY, FULL = range(4)
NUM_REFUSALS = 3  # all but FREE

# What enters the LSU by turns: an instruction that brings an index for each lane, an address or another lane's number,
# and one that does not: S2R, SHFL with a constant.
INDEXED, PLAIN = range(2)
NUM_ENTRY_KINDS = 2
NUM_HALVES = 2  # instructions that the LSU's data stage serves at a time
NUM_RETURNS = 8  # instructions whose results may be on their way back, or about to be
MAX_DATA_QUEUE = 32  # places that its queue may have
NUM_ADU_PLACES = 6  # instructions that the ADU works on at a time
ADU_ROW = 5  # instructions that stand in front of it, of all SMSPs: ``turns/row LDC`` of four
# L1's tag stage looks up a line a cycle in each of its slices.
NUM_SLICES = 4
MAX_AWAITED_LINES = 512  # of a slice that have lost their ways while loads wait for them: as many as it may hold
NORMAL, EVICT_FIRST, EVICT_LAST, EVICT_UNCHANGED, NOT_KEPT = range(5)  # cache hints: none, EF, EL, EU, and LU or NA
FREE_LINES = 13  # of those for which a slice has room: when no more are free, it frees some
# The banks of its data, and of shared memory.
NUM_DATA_BANKS = 32
NUM_SECTORS = 4  # of a line, which have as many of the banks each
SECTOR_BANKS = NUM_DATA_BANKS // NUM_SECTORS
BANK_BITS = 8  # of the passes that an access makes in a bank
NUM_GROUPS = 4  # of lanes by which L1 serves a load: the quarters of a warp
MAX_LINES = 128  # that a load touches: four words of each lane's local memory
NUM_PLANES = 6  # bits that count the words in a bank
# Lines of local memory are numbered from here on, those of one warp behind those of another.
FIRST_LOCAL_LINE = 1 << 40
MAX_L1_QUEUE = MOST_WAITING
MAX_STORE_LINES = MOST_WAITING
SLICE_LINES = 7  # that gather stores in each slice of L1 (microbenchmarks ``gathered``)
STORE_LINES = NUM_SLICES * SLICE_LINES
MAX_OVERTAKEN = 1024  # of what may be overtaken in front of L1, the last ones
NUM_ROWS = 2  # of L1's data stage: each makes a pass every other cycle
MAX_READS = 16  # of sectors that leave for L2, of every other cycle, that are remembered
NUM_LOOKED_UP = 3  # loads that wait between tag and data stage
NUM_PLACED_TURNS = 6  # turns of lines that miss, behind loads that hit and have still to make their passes
MAX_LDCS = 32  # LDCs on their way, from the row on until they are back: ``missed``
MAX_HIT_TIMES = 64

# What holds code: an SMSP's L0, behind it the SM's ICC, kept as the first SMSP's.
L0, ICC = range(2)
NUM_CODE_CACHES = 2
# What holds constants: a cache of operands for each SMSP, behind them that of LDC, and, in lines of its own, the GCC.
LDC_CACHE = NUM_SMSPS
GCC_CONSTANTS = NUM_SMSPS + 1
NUM_CONSTANT_CACHES = NUM_SMSPS + 2

# Banks of the register file: even and odd registers.
NUM_BANKS = 2
# What holds the operands A, B and C of an instruction, of each bank one: the FP64 unit has its own, behind the others.
NUM_LATCHES = 6
LATE = 1 << NUM_LATCHES  # beside a mask of latches: what is read for the second pass

ALARMS = 32  # cycles for which the warps to be looked at are known by cycle; a power of two
MAX_FREEZES = 6  # instructions that wait for the dispatcher, or will, one behind the other


def in_lines(fields: list[Any]) -> np.dtype[np.void]:
    """A record of an odd number of whole cache lines: an array of them spreads over all sets of a cache."""
    fitted = np.dtype(fields, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES) | 1)


def in_whole_lines(fitted: np.dtype[np.void], lines: int) -> np.dtype[np.void]:
    """The same record, with room for so many cache lines."""
    assert fitted.fields is not None
    offsets = [fitted.fields[name][1] for name in fitted.names or ()]
    formats = [fitted.fields[name][0] for name in fitted.names or ()]
    layout: Any = {"names": fitted.names, "formats": formats, "offsets": offsets, "itemsize": lines * LINE_BYTES}
    record: np.dtype[np.void] = np.dtype(layout, align=True)
    return record


def small_first(fields: list[Any]) -> np.dtype[np.void]:
    """A record of whole cache lines, whose single numbers lie side by side before its rows: they share few lines."""
    rows_last = sorted(fields, key=lambda field: np.dtype(field[1:]).itemsize if field[2:] else 0)
    fitted = np.dtype(rows_last, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES))


def lines_of_numbers(record: np.dtype[np.void]) -> int:
    """The cache lines that its single numbers take."""
    assert record.fields is not None
    return -(-max(place[1] + 8 for place in record.fields.values() if not place[0].shape) // LINE_BYTES)


def lines_to(record: np.dtype[np.void], field: str) -> int:
    """The cache lines of a record up to the end of a field."""
    assert record.fields is not None
    kind, offset, *_ = record.fields[field]
    return -(-(offset + kind.itemsize) // LINE_BYTES)


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


def l1_line(sectors: int, sector_bytes: int) -> np.dtype[np.void]:
    """A line of L1: of each sector when it arrives (-1 for not asked), a bit mask of its bytes that are valid then, and
    which was the last to wait for it, of all that have waited for data from L2.

    Four sectors of 32 bytes are a cache line of the host's: there are many of these, and each is touched now and then.
    """
    mask = np.uint32 if sector_bytes <= np.iinfo(np.uint32).bits else np.int64
    fields = [("ready", np.int64, sectors), ("bytes", mask, sectors), ("awaited_by", np.int32, sectors)]
    fitted = np.dtype(fields, align=True)
    return in_whole_lines(fitted, -(-fitted.itemsize // LINE_BYTES))


# A way of a set of L1: the number of the line that it holds, -1 for none; its place in the order of which the last is
# given up first; the cache hint of what brought the line; until when a load waits for it, and until when what was
# stored to it is being sent to L2.
L1_WAY = np.dtype(
    [
        ("tag", np.int64),
        ("order", np.int32),
        ("hint", np.int32),
        ("held_until", np.int64),
        ("sent_until", np.int64),
    ],
    align=True,
)


def store_line(sectors: int) -> np.dtype[np.void]:
    """A line that gathers stores before they leave for L2: when it does if none come any more, whether it was read and
    a load has asked for it, and of each sector a bit mask of the bytes written.
    """
    names = ("line", "idle", "there", "read", "asked")
    return np.dtype(
        [(name, np.int64) for name in names] + [("bytes", np.int64, sectors)],
        align=True,
    )


L2_WAYS = 32
# A set of L2: of each way's line some bits of its number, so that it is hardly looked for where it is not, and how many
# others were used since (:mod:`smsim.rules.side_by_side`); the ways to be written back, a bit mask, and how many lines
# it gave up since one of these; the ways with sectors that it has in part, a bit mask.
L2_SET = in_whole_lines(
    np.dtype(
        [
            ("marks", np.uint16, L2_WAYS),
            ("order", np.uint8, L2_WAYS),
            ("dirty", np.int64),
            ("since", np.int64),
            ("partial", np.int64),
        ],
        align=True,
    ),
    2,
)
# A line in a partition of L2. Sets of sectors are bit masks.
L2_LINE = np.dtype(
    [
        ("tag", np.int64),  # its number and its partition, -1 for none
        ("sectors", np.int64),  # present
        ("dirty", np.int64),  # to be written back
        ("ready", np.int64),  # when the last of them arrives; ASKED_FOR when that is not known yet
    ],
    align=True,
)


def l2_part(sectors: int) -> np.dtype[np.void]:
    """Of a line in L2 the sectors that were stored in part and whose rest it lacks, a bit mask, and of each of those a
    bit mask of the bytes stored.
    """
    return np.dtype([("sectors", np.int64), ("bytes", np.int64, sectors)], align=True)


def asked_line(sectors: int) -> np.dtype[np.void]:
    """A GPC's last request for a line: which sectors of it, a bit mask, when L2 hears of it and when each is in L1, and
    for how many SMs' requests it stands.
    """
    fields = [("line", np.int64), ("sectors", np.int64), ("asked", np.int64), ("requests", np.int64)]
    return np.dtype([*fields, ("ready", np.int64, sectors)], align=True)


ASKED_FOR = -1  # by SMs that are not simulated, as soon as those that are ask for such a line
