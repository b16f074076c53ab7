"""Which fixed-latency results have to be remembered, those that a reader might wait for, and who asks for them.

The compiler's stall counts keep every reader far enough behind its writer on the machine that they were made for.
Hand-written code, and machines with higher latencies, have results for which they do not. And there are readers that
wait for the register file: see :mod:`smsim.rules.register_file`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smsim.code import FIXED, Code
from smsim.state.sizes import NUM_BANKS, NUM_BARRIERS, NUM_GENERAL


class Interlock(NamedTuple):
    """Of each instruction a flag.

    Attributes:
        is_awaited: it writes a register that some reader might ask for before the result is there.
        awaits_results: it might have to wait for a result before it issues.
        awaits_file: it might have to wait, at the dispatcher, until a result is in the register file.
    """

    is_awaited: NDArray[np.bool_]
    awaits_results: NDArray[np.bool_]
    awaits_file: NDArray[np.bool_]


def build_interlock(
    code: Code, jumps: NDArray[np.int64], forwarding: NDArray[np.int64], register_file: int, read_window: int
) -> Interlock:
    """Who might wait for whom.

    A reader of two registers of a bank, or of one that is not forwarded, asks for the result in the register file;
    any other reads it as soon as it is there.

    Each result is followed along the code until the stall counts alone have made it old enough for every reader. Where
    a warp may leave the straight line before that, it counts as asked for, and by whoever reads that register.

    Args:
        code: the program.
        jumps: the instructions behind which a warp may go on elsewhere than at the next one.
        forwarding: cycles beyond the writer's latency, by latency class of the writer and of the reader.
        register_file: the "reader" that stands for the register file there.
        read_window: cycles in which an instruction reads its operands: a result that comes within them is read late.
    """
    records, registers = code.instructions, code.registers.tolist()
    ends = ("reads_from", "writes_from", "registers_end", "unforwarded_end")
    reads_from, writes_from, registers_end, unforwarded_end = (records[end].tolist() for end in ends)
    read = [set(registers[start:end]) for start, end in zip(reads_from, writes_from, strict=True)]
    written = [set(registers[start:end]) for start, end in zip(writes_from, registers_end, strict=True)]
    unforwarded = [set(registers[start:end]) for start, end in zip(registers_end, unforwarded_end, strict=True)]
    late = [{register} for register in records["late_register"].tolist()]
    # Only instructions of fixed latency ask at the dispatcher.
    filed = [
        _from_file(here) | kept if is_fixed else set()
        for here, kept, is_fixed in zip(read, unforwarded, (records["unit"] == FIXED).tolist(), strict=True)
    ]
    may_jump = np.zeros(len(records), np.bool_)
    may_jump[jumps] = True
    stalls = records["stall"].tolist()
    asked_for: set[int] = set()
    anywhere: set[int] = set()
    early, early_filed = (np.zeros(len(records), np.bool_) for _ in range(2))
    for writer in np.flatnonzero((records["unit"] == FIXED) & (records["writer_class"] >= 0)).tolist():
        latency, detours = int(records["latency"][writer]), forwarding[records["writer_class"][writer]]
        age, at = stalls[writer], writer
        while age < records["reach"][writer] + read_window - 1 and at + 1 < len(records):
            if may_jump[at] and age < records["reach"][writer]:
                anywhere |= written[writer]
            at += 1
            reader = records["reader_class"][at]
            arrives = latency + (detours[reader] if reader >= 0 else 0)
            if age < arrives:
                in_time = late[at] if age >= arrives - records["second_pass"][at] else set()
                early[at] |= not written[writer].isdisjoint(read[at] - in_time)
            if age < max(arrives + read_window - 1, latency + detours[register_file] + 1):
                asked_for |= written[writer] & read[at]
            if age < latency + detours[register_file]:
                early_filed[at] |= not written[writer].isdisjoint(filed[at])
                asked_for |= written[writer] & filed[at]
            age += stalls[at]
    asked_for |= anywhere
    return Interlock(
        is_awaited=np.array([not asked_for.isdisjoint(results) for results in written]),
        awaits_results=early | [not anywhere.isdisjoint(sources) for sources in read],
        awaits_file=early_filed | [not anywhere.isdisjoint(sources) for sources in filed],
    )


def awaits_operands(records: np.ndarray) -> NDArray[np.bool_]:
    """Which instructions might have to wait before they issue for any operand: a result, a barrier, a constant.

    Args:
        records: the program's (dtype INSTRUCTION), with what the interlock asks for.
    """
    constants = (records["constant_line"] >= 0) | (records["is_indexed"] & ~records["is_ldc"])
    flags: NDArray[np.bool_] = records["awaits_results"] | (records["wait_mask"] != 0) | constants
    flags |= records["fills_barriers"]
    return flags


def fills_barriers(records: np.ndarray, most: int) -> NDArray[np.bool_]:
    """Which instructions raise a barrier that ``most`` others have raised since the code last waited for it.

    Code is taken as it stands, from its beginning: what a loop raises turn by turn without a wait does not count.
    """
    flags = np.zeros(len(records), np.bool_)
    writes, reads, waits = (records[name] for name in ("write_barrier", "read_barrier", "wait_mask"))
    for barrier in range(NUM_BARRIERS):
        raises = (writes == barrier).astype(np.int64) + (reads == barrier)
        if raises.sum() > most:
            before = np.cumsum(raises) - raises
            waited = np.maximum.accumulate(np.where(waits >> barrier & 1, before, 0))
            flags |= (raises > 0) & (before - waited >= most)
    return flags


def _from_file(read: set[int]) -> set[int]:
    """What a reader may wait for until it is in the register file: two registers of a bank."""
    general = {each for each in read if each < NUM_GENERAL}
    banks = [{each for each in general if each % NUM_BANKS == bank} for bank in range(NUM_BANKS)]
    return {each for bank in banks if len(bank) > 1 for each in bank}
