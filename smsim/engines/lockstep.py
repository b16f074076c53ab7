"""The compiled driver's loop over several SMs: see :mod:`smsim.several`."""

import numpy as np
from numpy.typing import NDArray

from smsim.engines.loop import run_cycles
from smsim.model import Model
from smsim.rules.foresight import foresee_fills, foresee_turn, foresee_warps
from smsim.rules.model_type import model_at
from smsim.rules.rule import entry, rule
from smsim.several import STRIDE
from smsim.state import NEVER


@rule
def earliest(due: NDArray[np.int64]) -> int:
    """The first of some cycles."""
    first = NEVER
    for cycle in due:
        first = min(first, cycle)
    return first


@entry
def run_strides(  # noqa: PLR0917  (a rule's order)
    m: Model,
    addresses: NDArray[np.intp],
    policy: int,
    due: NDArray[np.int64],
    end: int,
    watch: np.ndarray,
    record: NDArray[np.int64],
) -> int:
    """Simulate SMs until none has anything to do before ``end``; returns the first cycle in which one has.

    Args:
        m: one of the SMs.
        addresses: of the tables of all of them.
        policy: a built-in policy's number.
        due: when each SM has something to do, kept up to date.
        end: a multiple of STRIDE; an SM that cannot touch what others see runs on alone to there.
        watch, record: nothing is watched, nothing recorded.
    """
    now = earliest(due)
    while now < end:
        now -= now % STRIDE
        first = now // STRIDE % len(due)
        for k in range(len(due)):
            i = (first + k) % len(due)
            if due[i] < now + STRIDE:
                foresee_turn(model_at(m, addresses[(i + 3) % len(due)]))
                foresee_warps(model_at(m, addresses[(i + 2) % len(due)]))
                foresee_fills(model_at(m, addresses[(i + 1) % len(due)]), now + STRIDE)
                due[i], _ = run_cycles(model_at(m, addresses[i]), policy, due[i], now + STRIDE, watch, record, end)
        now = earliest(due)
    return now
