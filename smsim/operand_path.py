"""How long an instruction of the MIO takes from its issue until its unit has its source registers.

They are read one after the other, on a path that memory instructions, shuffles and some of the ADU's share. The table
of operations gives the times of the usual form; an address without a register, or data of RZ, saves a register's.
Seen on the H100: microbenchmarks ``mio/behind``.
"""

from isa.instruction import Instruction
from isa.operand import RegisterFile
from smsim.description.sections import Mio
from smsim.fields import Fields
from smsim.operand_reads import operand_reads
from smsim.state.sizes import INDEXED, NUM_BANKS, PLAIN

REGISTER_INTERVAL = 2  # cycles that the path takes for a register
# By how much the way out of the queue is longer, or shorter, than a store's.
SENDS_NO_DATA, READS_NOTHING, TO_ADU = -1, -2, 1
LEAVING = 1  # of the cycles that a fence within the block takes the path those in which it leaves: ``passed``
ADU_INTERVAL = 4  # cycles between two arrivals with a register, as between two REDUX: ``barred/roles``
COUNTED = 12  # cycles that a block barrier takes longer whose warps a register counts: microbenchmarks ``barred``
TO_PREDICATE = 5  # cycles that B2R takes longer to a predicate: microbenchmarks ``barred/rounds BAR.RED.OR, B2R``
UNIFORM_EARLIER = 1  # cycles: an operand of the XU in a uniform register, microbenchmarks ``uncommon``
XU_READS = 2  # registers at most
SECOND_WORD = 1  # cycles by which the XU begins later with two registers: microbenchmarks ``alongside``


def set_operand_path(record: Fields, instruction: Instruction, mio: Mio, unit: str) -> None:
    """Set ``queue_latency``, ``path``, ``entry_kind``, ``sends_nothing`` and ``sends_lanes`` of a record.

    Its times are corrected for registers that it spares.

    Args:
        record: with the table's times.
        instruction: what it stands for.
        mio: the machine's.
        unit: the operation's: "xu", "mio", "lg", "adu", "barrier" or "membar".
    """
    registers = sum(register.file == RegisterFile.GENERAL for register in instruction.reads)
    record["queue_latency"] = mio.xu_queue_latency if unit == "xu" else mio.queue_latency
    if unit == "xu" and xu_reads(instruction)[1] >= 0:
        record["queue_latency"] += SECOND_WORD
    if unit == "xu" and any(register.file == RegisterFile.UNIFORM for register in instruction.reads):
        record["queue_latency"] -= UNIFORM_EARLIER
        record["latency"] -= UNIFORM_EARLIER
    if unit == "barrier":
        record["queue_latency"] += TO_ADU
        if registers:
            record["path"], record["interval"] = REGISTER_INTERVAL * registers, ADU_INTERVAL
            record["latency"] += COUNTED
    elif unit == "adu":
        record["queue_latency"] += TO_ADU
        if instruction.opcode == "B2R" and _writes_predicate(instruction):
            record["latency"] += TO_PREDICATE
        if registers and record["read_latency"]:
            record["path"] = REGISTER_INTERVAL * registers
            if instruction.opcode == "LDC":
                # The table's reads no register: microbenchmarks ``variable/LDC.R/write`` and ``throughput/LDC.R``.
                record["latency"] += int(record["path"]) + TO_ADU
                record["interval"] += int(record["path"])
    elif unit in ("mio", "lg", "membar"):
        usual = int(record["interval"])
        sends_none = instruction.opcode.startswith("LD") or instruction.opcode == "QSPC" or record["fences_block"]
        starts = SENDS_NO_DATA if sends_none else 0
        # What reads nothing leaves as early as it can.
        offset = starts if registers or not instruction.writes else READS_NOTHING
        record["queue_latency"] += offset
        record["path"] = record["interval"] = REGISTER_INTERVAL * registers or min(usual, REGISTER_INTERVAL)
        plain = instruction.opcode == "S2R" or (instruction.opcode == "SHFL" and registers == 1)
        record["entry_kind"] = PLAIN if plain else INDEXED
        record["sends_nothing"] = offset != 0
        if record["fences_block"]:
            record["path"] = usual
        record["sends_lanes"] = instruction.opcode in ("SHFL", "STS", "ATOMS")
        if record["read_latency"]:
            saved = starts + usual - offset - int(record["path"])
            record["read_latency"] -= saved
            record["latency"] = max(0, int(record["latency"]) - saved)
        if record["fences_block"]:
            record["path"] -= LEAVING


def _writes_predicate(instruction: Instruction) -> bool:
    return any(register.file == RegisterFile.PREDICATE for register in instruction.writes)


def xu_reads(instruction: Instruction) -> list[int]:
    """The banks of the registers that an instruction of the XU reads in turn, and -1 for each that it does not."""
    named = [read.register for read in operand_reads(instruction)]
    general = sorted(one.index for one in instruction.reads if one.file is RegisterFile.GENERAL)
    banks = [register % NUM_BANKS for register in (*named, *(one for one in general if one not in named))]
    return (banks + [-1] * XU_READS)[:XU_READS]
