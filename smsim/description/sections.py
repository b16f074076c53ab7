"""The sections of a machine description, value by value. A section's name and a value's are its path: ``l1.ways``."""

import msgspec

# What becomes of an instruction once it has issued.
UNITS = (
    "none",  # nothing further
    "fixed",  # a pipe with a fixed latency
    "xu",  # queued: special functions, conversions
    "mio",  # queued: shared memory, shuffles, special registers
    "lg",  # queued: local and global memory, through L1TEX
    "adu",  # queued: constants by LDC, uniform special registers, votes across the warp
    "branch",
    "barrier",  # block barrier
    "membar",
    "sleep",
    "exit",
)


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A section of the description."""


class Measured(_Part, frozen=True):
    """The GPU whose microbenchmarks the values come from; empty for a machine that nobody measured."""

    gpu: str = ""
    driver: str = ""


class Gpu(_Part, frozen=True):
    """The chip around the SM."""

    num_sms: int
    clock_mhz: float


class Limits(_Part, frozen=True):
    """What fits on one SM, and the granularity at which it is handed out."""

    warps: int
    blocks: int
    threads: int
    threads_per_block: int
    registers: int
    register_unit: int  # registers per warp are rounded up to this
    shared_bytes: int
    shared_bytes_per_block: int
    shared_reserved_bytes: int  # per block, for the system
    shared_unit: int


class Launch(_Part, frozen=True):
    """Of a launch: cycles of the block dispatcher, what else takes time, and bytes."""

    first_block: int  # from the SM's first active cycle to its first resident warp
    first_instruction: int  # from a warp's launch to its first issue, code and constants there
    warp_interval: int  # between two warps of one block
    block_interval: int  # from a block of one warp to the next block, one more for each further warp
    block_gap: int  # from a block's last warp to the next block's first, at least
    relaunch: int  # from a block's end to the launch of the next into its slot
    exit_resolving: int  # for which an EXIT is resolved like a branch
    exit: int  # from there to the end of a warp that has nothing to drain
    cold_code: int  # from the first warp's launch until its code is in the SM's cache, where no cache holds it
    cold_bytes: int  # read from DRAM besides code, the module's constants and data, where no cache holds them
    dispatch_interval: float  # between two blocks of whose ends the dispatcher hears, anywhere on the GPU
    overhead_us: float  # of a launch's duration, what no SM is active for


class FrontEnd(_Part, frozen=True):
    """Fetch, decode, branches and constants."""

    line_bytes: int
    l0_lines: int  # per SMSP
    l0_miss: int  # served by the ICC
    l0_rate: int  # instructions a cycle of a line that it serves
    l0_ahead: int  # from a warp's coming to a line until the last of those that come along is there for a branch
    l0_behind: int  # from a line that a branch waited for so to the one behind it
    l0_second: int  # from a missing line's first instruction to when the second one behind it is there for a branch
    l0_followed: int  # from a missing line's first instruction to that of the line that a branch in it leads to
    l0_followed_on: int  # from that line to the one that a branch in it leads to
    icc_lines: int  # per SM: ncu's ICC
    icc_ways: int  # lines of a set, at most all; which set follows from the address, and what fills none is unused
    icc_miss: int  # served by the GCC
    icc_prefetch_lines: int  # stream buffer: lines fetched ahead
    icc_fill_interval: int  # from a line that a warp waits for to the first one behind those that come along with it
    gcc_miss: int  # added when the GCC, which serves several SMs, does not hold the line
    gcc_prefetch_lines: int  # lines that come along with a miss
    cold_gcc_miss: int  # the same where L2 does not hold the line either
    cold_gcc_prefetch_lines: int
    launch_prefetch_lines: int  # lines from the code's start on that a launch brings to the SM's instruction cache
    branch_taken: int  # from a branch's issue to its target's
    landing_busy: int  # cycles behind a warp's landing in which another warp's comes later
    landing_wait: int  # by so much
    landing_interval: int  # that an SMSP fetches for one on a branch that is always taken, or whose lanes part
    branch_line_end: int  # added when the target is the last instruction of its line
    branch_started: int  # cycles until a branch begins to be resolved
    branch_resolved: int  # cycles until the target of a taken branch is known
    branch_diverged: int  # the same of a branch that some lanes take, where the others go first
    exit_diverged: int  # the same of an EXIT by which some lanes leave
    branch_switched: int  # cycles until the other lanes go on when these have to wait for them
    branch_searched: int  # the same where those are not the ones that the last branch left
    exit_switched: int  # the two of lanes that exit
    exit_searched: int
    lanes_named: int  # cycles from the issue of a WARPSYNC of the lanes that a register names to what is behind it
    mask_named: int  # and for each mask that its lanes hold
    constant_line_bytes: int
    constant_sets: int  # of the cache of operands that each SMSP has, and of LDC's
    constant_ways: int
    constant_misses: int  # lines that one of these caches waits for at a time
    constant_miss: int  # added when an SMSP touches an operand's or a ULDC's line for the first time in a launch
    constant_interval: int  # between the lines that two SMSPs get
    constants_of_others: int  # cycles in between for the lines of other SMs where all SMs begin at once
    constants_behind_code: (
        float  # by which a launch's first constants come later, for each line of code that the L0 does not hold whole
    )
    long_code: int  # lines; with cold caches the first constants of a launch with more come later still
    constants_behind_long_code: int  # by so much
    module_constant_bytes: int  # a line of the GCC
    module_constant_miss: int  # added where it has to ask L2 for the module's constants, at the line's first touch
    cold_module_constant_miss: int  # the same where L2 does not hold them either
    ldc_miss: int  # added to an LDC that misses in the cache of its own
    ldc_fill: int  # behind the first one that missed until the line is there for others


# The pipes that rules know by name.
NAMED_PIPES = ("alu", "fma", "fmaheavy", "fmalite", "fma_both", "fma_wide", "fp64", "uniform", "xu")


class RegisterFile(_Part, frozen=True):
    """Operand reads: two banks, even and odd registers, with one port each."""

    read_window: int  # cycles in which an instruction reads all its operands
    fp64_slot: int  # after one for the FP64 unit, the cycle in which no other vector instruction is dispatched


class Pipe(_Part, frozen=True):
    """A pipe of an SMSP: cycles per warp instruction, and cycles from issue to a reader of its own class."""

    interval: int
    latency: int


class Mio(_Part, frozen=True):
    """The queues of an SMSP before the units that its dispatch port does not feed, and the units all four share."""

    xu_queue_depth: int  # the instruction being executed included
    mio_queue_depth: int
    adu_queue_depth: int
    xu_queue_latency: int  # from issue to the unit, queue and unit empty
    queue_latency: int  # the same for the others; those that send no data are a cycle faster
    conflict_interval: int  # per wavefront, of an SMSP's half of the data stage; per further one, of the latency
    match_latency: int  # of MATCH.ANY for each further value
    lsu_places: int  # instructions of the whole SM that the LSU holds before its data stage
    place_return: int  # from the data stage's beginning with one until its place is free again
    barrier_producers: int  # that one of a warp's scoreboard barriers counts at a time


class Barrier(_Part, frozen=True):
    """Block barriers."""

    arrival_interval: int  # between two arrivals that the SM processes
    release: int  # from the last arrival to the next issue of all


class L1(_Part, frozen=True):
    """The data cache: what is left of ``bytes`` when the blocks have their shared memory."""

    bytes: int
    line_bytes: int
    sector_bytes: int
    ways: int
    miss_latency: int  # added by L2, a hit there
    miss_spread: int  # from the fastest to the slowest part of L2
    far_atomic: int  # added where the line's home is the far half of L2
    sector_interval: float  # per sector that comes from L2
    sector_lag: float  # from one sector of a line that comes from L2 to its next
    store_packet_interval: float  # per packet to L2: one a sector, and one for each line with a sector written in part
    store_queue_wavefronts: int  # places of the queue in front of it: an instruction, or 128 bytes of a store
    store_queue_lines: int  # requests to L2 that may wait for the port, and lines of a store for which loads wait
    store_placing_lines: int  # lines that wait behind the data stage for such a place
    overtaken: int  # loads in that queue past which an instruction without tags goes
    overtaken_lines: int  # the same of stores, by their lines
    store_idle: int  # behind the data of a store until its lines leave, if no store to them comes
    pending_turns: int  # in each of which four lines are looked up, of the loads that may wait for L2 at once
    pending_loads: int  # of a turn, that may wait for L2 at once
    pending_further: float  # of the room of such a load that each further turn of a load takes
    store_sent: int  # behind a line's packets in which another store to it leaves its own bytes alone valid in L1
    store_latency: int  # until a store no longer holds its warp
    flush_interval: int  # from one flush for fences within the GPU to the next
    flush_gathers: int  # cycles in which others join the fence that begins one
    group_latency: int  # from the barrier of a group's last asynchronous copy to the group's
    group_interval: int  # from one group's barrier to the next one's
    group_passed: int  # from that to the warp's next instruction behind DEPBAR
    same_address: float  # per lane of an atomic that gets its answer from one bank
    atomic_packets: int  # to L2, of stores, and of atomics at lines of its own, that may have left and wait there
    own_atomic_packets: int  # the same of float additions
    slice_packets: int  # the same of atomics at lines of many SMs, for each slice of L2


class L2(_Part, frozen=True):
    """The cache that all SMs share: two partitions, each near half of the SMs."""

    bytes: int  # of both; lines whose home is far take them twice
    read_interval: float  # cycles per sector that all SMs together load
    request_interval: float  # cycles per line of which all SMs together load something, at least
    write_interval: float  # cycles per sector that SMs store or that DRAM brings
    store_interval: float  # cycles per packet of all SMs' stores, of those SMs that come last
    link_interval: float  # cycles per sector from a part of L2, one of five, to a GPC
    cpc_request_interval: float  # cycles per line of which the SMs of a CPC load something, where all CPCs do
    cpc_store_interval: float  # cycles per packet of the stores of a CPC's SMs, where all CPCs store
    cpc_least_interval: float  # the same where the others store little
    service: float  # cycles for which a slice is busy with a request, as others that wait there see it
    far_latency: int  # added when only the far partition holds a sector
    coalescing_window: int  # cycles for which requests of other SMs may join one for what L2 has
    sm_spread: int  # cycles from the SM of a GPC that is nearest to L2 to the farthest
    way_spread: int  # cycles by which one of these SMs may be nearer to a line than another, all lines alike otherwise
    fill_sectors: int  # that DRAM brings together
    dirty_bytes: int  # stored, and not yet written back
    partial_bytes: int  # of lines with sectors that were stored in part and whose rest was not read from DRAM
    dirty_turn: int  # lines that a set gives up, for one of them to be written back
    atomic_interval: float  # cycles per sector that a slice of L2 works on for a reduction
    returned_atomic_interval: float  # the same for an atomic that returns a value
    whole_atomic_interval: float  # the same for a sector all of whose words are touched at once
    float_atomic_interval: float  # per lane of a float addition at one word


class Dram(_Part, frozen=True):
    """What a miss in L2 adds."""

    latency: int  # added to what the line's home in L2 takes
    ahead: int  # cycles: L2 takes nothing more while what it has asked for waits so long
    refresh: int  # cycles for which a bank does nothing else
    refresh_interval: int  # between two of them
    refresh_turn: int  # from one bank of a channel to the next
    read_interval: float  # cycles per sector, for all SMs together
    pair_interval: int  # cycles from one fill of two neighbouring lines to the next, of one SM
    row_sectors: int  # that are opened together
    row_interval: float  # cycles more for a row that is opened for some of them, for all SMs together
    service: float  # cycles for which a bank is busy with a request, as others that wait there see it
    write_interval: float
    fill_interval: float  # cycles per line that is read in part and then written, at least, for all SMs together
    turnaround: float  # cycles from reading to writing and back


class Operation(_Part, frozen=True):
    """Timing of a SASS operation that is not just "its pipe, a fixed latency": which unit takes it, and for how long.

    Attributes:
        unit: one of UNITS.
        pipe: the pipe it uses, where that is not the one that the opcode table names.
        interval: cycles of the pipe, or of the SMSP's way to a queued unit, per instruction.
        sm_interval: cycles of a unit that the SM's SMSPs share (of stores to L1TEX in the bottleneck report
            alone; what they send decides: `rules/data_path.py`).
        latency: from issue to the first issue that may wait on the write barrier, with nothing in the way; of a branch,
            the least distance to the warp's next instruction, wherever that is.
        read_latency: the same for the read barrier.
        second_pass: cycles for which the instruction keeps the dispatcher beyond its own.
        unforwarded: source operands, from A on, that take their value from the register file alone.
        source: where the row comes from.
    """

    unit: str
    pipe: str = ""
    interval: int | None = None
    sm_interval: int | None = None
    latency: int | None = None
    read_latency: int | None = None
    second_pass: int | None = None
    unforwarded: int | None = None
    source: str = ""


class Description(_Part, frozen=True, kw_only=True):
    """All sections of a machine."""

    schema: int
    name: str
    measured: Measured = Measured()
    gpu: Gpu
    limits: Limits
    launch: Launch
    frontend: FrontEnd
    register_file: RegisterFile
    pipes: dict[str, Pipe]
    mio: Mio
    barrier: Barrier
    l1: L1
    l2: L2
    dram: Dram
    operations: dict[str, Operation]
    forwarding: dict[str, dict[str, int]]
