"""How many there are of each thing, and by which number each is known."""

from smsim.description.checks import MOST_WAITING

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
