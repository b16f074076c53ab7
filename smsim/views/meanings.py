"""What each stall reason means, in one line for a table."""

from smsim.reasons import Reason

MEANINGS: dict[Reason, str] = {
    Reason.SELECTED: "issued an instruction",
    Reason.NOT_SELECTED: "ready, another warp was picked",
    Reason.WAIT: "fixed-latency dependency: the stall count",
    Reason.LONG_SCOREBOARD: "result of L1TEX: global, local memory",
    Reason.SHORT_SCOREBOARD: "result of the MIO: shared memory, MUFU, ...",
    Reason.MATH_PIPE_THROTTLE: "the execution pipe is busy",
    Reason.MIO_THROTTLE: "the MIO's instruction queue is full",
    Reason.LG_THROTTLE: "the local and global memory queue is full",
    Reason.TEX_THROTTLE: "the texture queue is full",
    Reason.DISPATCH_STALL: "ready, held back by the dispatcher",
    Reason.NO_INSTRUCTION: "not fetched yet: cache miss, branch target",
    Reason.IMC_MISS: "immediate constant cache miss",
    Reason.BRANCH_RESOLVING: "branch target being computed",
    Reason.BARRIER: "block barrier",
    Reason.MEMBAR: "memory barrier",
    Reason.SLEEPING: "nanosleep",
    Reason.DRAIN: "exited, stores still leaving",
    Reason.GMMA: "warpgroup matrix instruction",
    Reason.MISC: "none of the others",
}
