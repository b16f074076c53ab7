"""Which fixed-latency results have to be remembered: those that a reader might wait for.

The compiler's stall counts keep every reader far enough behind its writer on the machine that they were made for.
Hand-written code, and machines with higher latencies, have results for which they do not. And there are readers that
wait for the register file: see :mod:`smsim.rules.register_file`.
"""

import numpy as np
from numpy.typing import NDArray

from smsim.code import FIXED, Code
from smsim.state import NUM_BANKS, NUM_GENERAL


def awaited(
    code: Code, jumps: NDArray[np.int64], forwarding: NDArray[np.int64], register_file: int
) -> NDArray[np.bool_]:
    """Of each instruction, whether it writes a register that some reader might ask for before the result is there.

    A reader of two registers of a bank, or of one that is not forwarded, asks for the result in the register file.

    Each result is followed along the code until the stall counts alone have made it old enough for every reader. Where
    a warp may leave the straight line before that, it counts as asked for.

    Args:
        code: the program.
        jumps: the instructions behind which a warp may go on elsewhere than at the next one.
        forwarding: cycles beyond the writer's latency, by latency class of the writer and of the reader.
        register_file: the "reader" that stands for the register file there.
    """
    records, registers = code.instructions, code.registers.tolist()
    read = [set(registers[each["reads_from"] : each["writes_from"]]) for each in records]
    filed = [_from_file(registers, each) for each in records]
    written = [set(registers[each["writes_from"] : each["registers_end"]]) for each in records]
    may_jump = np.zeros(len(records), np.bool_)
    may_jump[jumps] = True
    stalls = (np.maximum(records["stall"], np.where(records["yields"], 2, 1))).tolist()
    asked_for: set[int] = set()
    for writer in np.flatnonzero((records["unit"] == FIXED) & (records["writer_class"] >= 0)).tolist():
        latency, detours = int(records["latency"][writer]), forwarding[records["writer_class"][writer]]
        age, at = stalls[writer], writer
        while age < records["reach"][writer] and at + 1 < len(records):
            if may_jump[at]:
                asked_for |= written[writer]
            at += 1
            reader = records["reader_class"][at]
            if age < latency + (detours[reader] if reader >= 0 else 0):
                asked_for |= written[writer] & read[at]
            if age < latency + detours[register_file]:
                asked_for |= written[writer] & filed[at]
            age += stalls[at]
    return np.array([not asked_for.isdisjoint(results) for results in written])


def _from_file(registers: list[int], record: np.void) -> set[int]:
    """What a reader may wait for until it is in the register file."""
    general = {each for each in registers[record["reads_from"] : record["writes_from"]] if each < NUM_GENERAL}
    banks = [{each for each in general if each % NUM_BANKS == bank} for bank in range(NUM_BANKS)]
    shared = {each for bank in banks if len(bank) > 1 for each in bank}
    return shared | set(registers[record["registers_end"] : record["unforwarded_end"]])
