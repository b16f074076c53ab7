"""What an instruction of a queue becomes where its guard is false in every lane: it goes its way, but reads nothing.

It takes its place in the queue, a turn of its unit, and gives its barriers back, earlier by what its registers take.
Seen on the H100: microbenchmarks ``rounds/unexecuted`` and ``without_lanes``.
"""

import numpy as np

from isa.program import Program
from smsim.code import ADU, BARRIER, LG, MIO, XU
from smsim.machine import Machine
from smsim.operand_path import READS_NOTHING, REGISTER_INTERVAL, SENDS_NO_DATA, TO_ADU
from smsim.state.sizes import MIO_QUEUE

XU_OPERAND = 2  # cycles that reading it takes


def add_unexecuted(records: np.ndarray, program: Program, machine: Machine) -> np.ndarray:
    """Behind a program's records those of its guarded instructions where they do nothing; ``unexecuted`` names them."""
    records["unexecuted"] = -1
    guarded = [i.index for i in program.instructions if i.guard is not None and records[i.index]["queue"] >= 0]
    added = records[guarded]
    records["unexecuted"][guarded] = len(records) + np.arange(len(guarded))
    for record in added:
        _read_nothing(record, machine)
    return np.concatenate([records, added])


def _read_nothing(record: np.void, machine: Machine) -> None:
    """Turn a record into that of the same instruction without registers, memory or values."""
    record["is_fence"] = record["is_indexed"] = False
    record["result_words"] = 0
    if record["unit"] in (MIO, LG):
        load = machine.operations["LDS"]
        record["unit"], record["gate"] = MIO, MIO_QUEUE
        record["path"], record["sm_interval"] = REGISTER_INTERVAL, 1
        record["queue_latency"] = machine.mio.queue_latency + READS_NOTHING
        record["latency"] = (load.latency or 0) + READS_NOTHING - SENDS_NO_DATA
        record["read_latency"] = load.read_latency or 0
        for flag in ("is_store", "is_atomic", "is_copy", "ends_group"):
            record[flag] = False
    elif record["unit"] in (ADU, BARRIER):
        record["unit"] = ADU
        if record["path"] > 0:
            record["latency"] -= record["path"] + TO_ADU
            record["path"] = 0
        record["read_latency"] = machine.operations["LDC"].read_latency or 0
        record["is_match"], record["constant_line"] = False, -1
    elif record["unit"] == XU:
        usual = machine.operations["MUFU"]
        record["interval"] = usual.interval or 0
        record["queue_latency"] = machine.mio.xu_queue_latency - XU_OPERAND
        record["latency"] = (usual.latency or 0) - XU_OPERAND
        record["read_latency"] = (usual.read_latency or 0) - XU_OPERAND
        after = record["latency"] - record["queue_latency"]
        record["written_after"] = np.where(record["written_after"] >= 0, after, -1)
