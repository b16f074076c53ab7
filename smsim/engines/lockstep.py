"""The compiled driver's loop over several SMs: see :mod:`smsim.several`."""

import numpy as np
from numpy.typing import NDArray

from smsim.engines.loop import run_cycles
from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.foresight import foresee_fills, foresee_smsps, foresee_table, foresee_turn, foresee_warps
from smsim.rules.model_type import model_at
from smsim.rules.rule import entry, rule
from smsim.several import STRIDE
from smsim.state.sizes import NEVER


@rule
def earliest(due: NDArray[np.int64]) -> int:
    """The first of some cycles."""
    first = NEVER
    for cycle in due:
        first = min(first, cycle)
    return first


@rule
def those_due(due: NDArray[np.int64], start: int, going: NDArray[np.int64]) -> int:
    """Put the SMs that have something to do in a stride into ``going``, in their order; returns how many there are."""
    first, count = start // STRIDE % len(due), 0
    for k in range(len(due)):
        i = around(first + k, len(due))
        if due[i] < start + STRIDE:
            going[count] = i
            count += 1
    return count


@entry
def run_strides(  # noqa: PLR0917  (a rule's order)
    m: Model,
    tables: NDArray[np.intp],
    addresses: NDArray[np.intp],
    policy: int,
    due: NDArray[np.int64],
    going: NDArray[np.int64],
    end: int,
    watch: np.ndarray,
    record: NDArray[np.int64],
) -> int:
    """Simulate SMs until none has anything to do before ``end``; returns the first cycle in which one has.

    Args:
        m: one of the SMs.
        tables: of all of them (:func:`smsim.several.tables`).
        addresses: where each lies.
        policy: a built-in policy's number.
        due: when each SM has something to do, kept up to date.
        going: room for the number of each SM.
        end: a multiple of STRIDE; an SM that cannot touch what others see runs on alone to there.
        watch, record: nothing is watched, nothing recorded.
    """
    now = earliest(due)
    while now < end:
        now -= now % STRIDE
        count = those_due(due, now, going)
        for k in range(-5, count):
            if k + 5 < count:
                foresee_table(tables, going[k + 5])
            if 0 <= k + 4 < count:
                foresee_turn(model_at(m, addresses[going[k + 4]]))
            if 0 <= k + 3 < count:
                foresee_smsps(model_at(m, addresses[going[k + 3]]), now + STRIDE)
            if 0 <= k + 2 < count:
                foresee_warps(model_at(m, addresses[going[k + 2]]), now + STRIDE)
            if 0 <= k + 1 < count:
                foresee_fills(model_at(m, addresses[going[k + 1]]), now + STRIDE)
            if k >= 0:
                i = going[k]
                due[i], _ = run_cycles(model_at(m, addresses[i]), policy, due[i], now + STRIDE, watch, record, end)
        now = earliest(due)
    return now
