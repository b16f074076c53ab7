"""The control code of an instruction: what the compiler tells the scheduler.

Bits of the 128-bit encoding, Volta to Hopper: 105-108 stall count, 109 yield (0 = yield), 110-112 write barrier
(7 = none), 113-115 read barrier (7 = none), 116-121 wait mask, 122-124 reuse of the operands in slots A, B, C.
"""

from dataclasses import dataclass

NO_BARRIER = 7


@dataclass(frozen=True, slots=True)
class ControlCode:
    """Scheduling fields of one instruction.

    Attributes:
        stall: cycles before the warp may issue its next instruction, 0 to 15.
        yield_: the compiler suggests to switch to another warp.
        write_barrier: scoreboard barrier (0 to 5) released when the result is written; 7 for none.
        read_barrier: scoreboard barrier (0 to 5) released when the sources have been read; 7 for none.
        wait_mask: bit i set = wait until barrier i is at zero, 6 bits.
        reuse: bit 0, 1, 2 = keep the operand of slot A, B, C in the reuse cache.
    """

    stall: int = 1
    yield_: bool = False
    write_barrier: int = NO_BARRIER
    read_barrier: int = NO_BARRIER
    wait_mask: int = 0
    reuse: int = 0
