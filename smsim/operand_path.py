"""How long an instruction of the MIO takes from its issue until its unit has its source registers.

They are read one after the other, on a path that memory instructions, shuffles and some of the ADU's share. The machine's table gives
the times of the usual form; an address without a register, or data of RZ, saves a register's time.
Seen on the H100: microbenchmarks ``mio/behind``, RZ.
"""

import numpy as np

from isa.instruction import Instruction
from isa.operand import RegisterFile
from smsim.machine import Mio

REGISTER_INTERVAL = 2  # cycles that the path takes for a register


def set_operand_path(record: np.void, instruction: Instruction, mio: Mio, unit: str) -> None:
    """Set the record's ``queue_latency`` and ``path``; correct its times for registers that this instruction spares.

    Args:
        record: of dtype :data:`smsim.code.INSTRUCTION`, with the table's times.
        instruction: what it stands for.
        mio: the machine's.
        unit: the operation's: "xu", "mio", "lg" or "adu".
    """
    registers = sum(register.file == RegisterFile.GENERAL for register in instruction.reads)
    record["queue_latency"] = mio.xu_queue_latency if unit == "xu" else mio.queue_latency
    read_at = int(record["read_latency"])
    if unit == "adu" and read_at and registers:
        record["path"] = REGISTER_INTERVAL * registers
        record["queue_latency"] = read_at - record["path"]
    elif unit in ("mio", "lg"):
        path = int(record["interval"])
        if 0 < read_at < path + mio.queue_latency:
            record["queue_latency"] = read_at - path
        if not registers and instruction.writes:
            # Nothing to read: it leaves as early as it can.
            record["queue_latency"] = mio.queue_latency - 2
        record["path"] = record["interval"] = min(path, REGISTER_INTERVAL * max(1, registers))
        saved = max(0, read_at - int(record["queue_latency"]) - int(record["path"]))
        record["read_latency"] = read_at - saved if read_at else 0
        record["latency"] = max(0, int(record["latency"]) - saved)
