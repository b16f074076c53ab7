"""An instruction's record of reads at the register file's ports, with and without what the reuse caches spare."""

import numpy as np

from isa.instruction import Instruction
from smsim.operand_reads import SLOTS, Read, ReuseCache, operand_reads
from smsim.state import LATE, NUM_BANKS

WITHOUT_REUSE, REUSING = range(2)


class PortReads:
    """Fills the records of a program, instruction by instruction in its order."""

    def __init__(self) -> None:
        self._caches = (ReuseCache(), ReuseCache())  # of the FP64 unit, the second

    def set(self, record: np.void, instruction: Instruction, is_fp64: bool) -> None:
        """Set ``latches``, ``late_register``, and what follows: reads in banks, spared and kept.

        ``read_results`` are the registers themselves: places follow when all are known.
        """
        reads = operand_reads(instruction)
        left = self._caches[is_fp64].read(instruction, reads)
        for reusing, some in ((WITHOUT_REUSE, reads), (REUSING, left)):
            for bank in range(NUM_BANKS):
                here = [read for read in some if read.register % NUM_BANKS == bank]
                for place, read in enumerate(here):
                    record["latches"][reusing, bank, place] = _latches(read, is_fp64)
                    record["read_results"][reusing, bank, place] = read.register
                record["reads"][reusing, bank] = len(here)
        latched, filled = (np.bitwise_or.reduce(each, axis=1) & (LATE - 1) for each in record["latches"])
        marked = instruction.control.reuse << SLOTS * is_fp64
        record["latched"], record["spared"], record["kept"] = latched, latched & ~filled, latched & marked
        record["keeps"] = record["kept"].any()
        in_time = {read.register for read in reads if not read.is_late}
        for read in reads:
            if read.is_late and read.register not in in_time:
                record["late_register"] = read.register


def _latches(read: Read, is_fp64: bool) -> int:
    return read.slots << SLOTS * is_fp64 | LATE * read.is_late
