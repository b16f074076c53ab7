"""The compiled driver's loop over several SMs: see :mod:`smsim.several`."""

import numpy as np
from numpy.typing import NDArray

from smsim.engines.loop import run_cycles
from smsim.model import Model
from smsim.rules.rule import entry, rule
from smsim.several import STRIDE
from smsim.state import NEVER


@rule
def one_of(m: Model, i: int) -> Model:
    """One of several SMs, whose own arrays have the SMs as their first axis."""
    return Model(
        m.instructions,
        m.registers,
        m.runs,
        m.steps,
        m.traced_warps,
        m.traced_blocks,
        m.accesses,
        m.kinds,
        m.touches,
        m.params,
        m.warps[i],
        m.wakes[i],
        m.turns[i],
        m.results[i],
        m.gates[i],
        m.smsps[i],
        m.blocks[i],
        m.sm[i],
        m.queues[i],
        m.data_queue[i],
        m.lines[i],
        m.line_places[i],
        m.fetched[i],
        m.constants[i],
        m.l1[i],
        m.store_lines[i],
        m.chip,
        m.servers,
        m.l2,
        m.l2_tags,
        m.l2_used,
        m.shared,
        m.warp_cycles[i],
    )


@rule
def earliest(due: NDArray[np.int64]) -> int:
    """The first of some cycles."""
    first = NEVER
    for cycle in due:
        first = min(first, cycle)
    return first


@entry
def run_strides(m: Model, policy: int, due: NDArray[np.int64], end: int, record: NDArray[np.int64]) -> int:
    """Simulate SMs until none has anything to do before ``end``; returns the first cycle in which one has.

    Args:
        m: the SMs.
        policy: a built-in policy's number.
        due: when each SM has something to do, kept up to date.
        end: a multiple of STRIDE; an SM that cannot touch what others see runs on alone to there.
        record: of no length: nothing is recorded.
    """
    now = earliest(due)
    while now < end:
        now -= now % STRIDE
        first = now // STRIDE % len(due)
        for k in range(len(due)):
            i = (first + k) % len(due)
            if due[i] < now + STRIDE:
                due[i], _ = run_cycles(one_of(m, i), policy, due[i], now + STRIDE, NEVER, record, end)
        now = earliest(due)
    return now
