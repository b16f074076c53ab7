"""An instruction's record of reads at the register file's ports, with and without what the reuse caches spare."""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from isa.instruction import Instruction
from smsim.fields import Fields
from smsim.operand_reads import SLOTS, Read, ReuseCache, operand_reads
from smsim.state.sizes import LATE, NUM_BANKS

WITHOUT_REUSE, REUSING = range(2)


class PortReads:
    """Fills the records of a program, instruction by instruction in its order."""

    def __init__(self) -> None:
        self._caches = (ReuseCache(), ReuseCache())  # of the FP64 unit, the second

    def set(self, record: Fields, instruction: Instruction, is_fp64: bool) -> None:
        """Set ``latches``, ``late_register``, and what follows: reads in banks, spared and kept.

        ``read_results`` are the registers themselves: places follow when all are known.
        """
        reads = operand_reads(instruction)
        left = self._caches[is_fp64].read(instruction, reads)
        places = [_by_bank(reads), _by_bank(left)]  # WITHOUT_REUSE, REUSING
        latches = [[_filled(_latches(read, is_fp64) for read in here) for here in banks] for banks in places]
        record["latches"] = latches
        record["read_results"] = [[_filled(read.register for read in here) for here in banks] for banks in places]
        record["reads"] = [[len(here) for here in banks] for banks in places]
        latched, filled = ([reduce(or_, here) & (LATE - 1) for here in banks] for banks in latches)
        marked = instruction.control.reuse << SLOTS * is_fp64
        record["latched"] = latched
        record["spared"] = [every & ~anew for every, anew in zip(latched, filled, strict=True)]
        record["kept"] = [every & marked for every in latched]
        record["keeps"] = any(record["kept"])
        in_time = {read.register for read in reads if not read.is_late}
        for read in reads:
            if read.is_late and read.register not in in_time:
                record["late_register"] = read.register


def _latches(read: Read, is_fp64: bool) -> int:
    return read.slots << SLOTS * is_fp64 | LATE * read.is_late


def _by_bank(reads: list[Read]) -> list[list[Read]]:
    return [[read for read in reads if read.register % NUM_BANKS == bank] for bank in range(NUM_BANKS)]


def _filled(values: Iterable[int]) -> list[int]:
    """As many as a bank has places, the last ones 0."""
    given = list(values)
    return given + [0] * (SLOTS - len(given))
