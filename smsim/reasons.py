"""Why a warp did not issue in a cycle: Nsight Compute's reasons, spelled as its counters spell them.

Every resident warp is in exactly one of them in every cycle; ``selected`` means that it issued.
Source: Nsight Compute's documentation of ``smsp__warps_issue_stalled_<reason>``.
"""

from enum import IntEnum


class Reason(IntEnum):
    """A stall reason; the value is its column in every array of stalls."""

    SELECTED = 0  # issued
    NOT_SELECTED = 1  # eligible, another warp was picked
    WAIT = 2  # fixed-latency dependency: the stall count
    LONG_SCOREBOARD = 3  # result of L1TEX: global, local, texture
    SHORT_SCOREBOARD = 4  # result of the MIO that is not L1TEX: shared memory, MUFU, ...
    MATH_PIPE_THROTTLE = 5  # the execution pipe is busy
    MIO_THROTTLE = 6  # the MIO's instruction queue is full
    LG_THROTTLE = 7  # the local and global queue is full
    TEX_THROTTLE = 8  # the texture queue is full
    DISPATCH_STALL = 9  # ready, but the dispatcher holds it back
    NO_INSTRUCTION = 10  # not fetched yet: branch target, instruction cache miss
    IMC_MISS = 11  # immediate constant cache miss
    BRANCH_RESOLVING = 12  # waiting for a branch target
    BARRIER = 13  # block barrier
    MEMBAR = 14  # memory barrier
    SLEEPING = 15  # nanosleep
    DRAIN = 16  # exited, waiting for its stores to leave
    GMMA = 17  # warpgroup matrix instructions
    MISC = 18  # none of the others

    @property
    def counter(self) -> str:
        """The word in ncu's counter, e.g. "long_scoreboard"."""
        return self.name.lower()


REASON_NAMES = tuple(reason.counter for reason in Reason)
