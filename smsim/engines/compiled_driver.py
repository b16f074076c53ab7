"""The compiled driver: the loop over the cycles is machine code, from which Python gets the word now and then."""

import numpy as np

from isa.trace import Trace
from smsim.engines.announcer import Announcer, check_all_left
from smsim.engines.loop import BLOCK_LAUNCHED, COLUMNS, ISSUE, run_cycles
from smsim.engines.steady_state import SteadyState
from smsim.model import Model
from smsim.policies import policy_number
from smsim.several import STRIDE, one_of, tables
from smsim.state.sizes import EMPTY, NEVER
from smsim.state.sms import WATCH

# Between two looks at whether the user has pressed Ctrl-C, or whether the SM repeats itself; the longer, the more often
# it did not. A fraction of a second.
SHORTEST_SLICE, LONGEST_SLICE = 20_000, 320_000  # cycles
EVENTS_AT_ONCE = 20_000
UNHEARD, UNWATCHED = np.empty((0, COLUMNS), np.int64), np.zeros(1, WATCH)


def run(trace: Trace, models: Model, policy: str, announcer: Announcer, *, skip_periods: bool = True) -> None:
    """Simulate SMs until every block has left them.

    Args:
        trace, models: what runs, and the SMs set up for it (:mod:`smsim.several`).
        policy: a policy's name.
        announcer: told of every event, some time after it happened.
        skip_periods: whether to skip what repeats exactly where nobody listens; the result is the same.

    Raises KernelError when warps are left that nothing can wake, MachineError for an unknown policy.
    """
    number = policy_number(policy)
    sms = len(models.sm)
    if sms == 1:
        _run_one(one_of(models, 0), number, announcer, skip_periods)
    else:
        _run_several(models, number)
    for sm in (models.warps["status"] != EMPTY).any(axis=1).nonzero()[0]:
        check_all_left(trace, one_of(models, sm))


def _run_several(models: Model, policy: int) -> None:
    """Simulate SMs that share L2 and DRAM."""
    from smsim.engines.lockstep import run_strides  # noqa: PLC0415  (compiled when it is needed, it takes long)

    each = tables(models)
    addresses = each.ctypes.data + np.arange(len(each)) * each.strides[0]
    first, due, going, now = one_of(models, 0), np.zeros(len(each), np.int64), np.zeros(len(each), np.int64), 0
    while now < NEVER:
        end = now - now % STRIDE + SHORTEST_SLICE
        now = run_strides(first, each, addresses, policy, due, going, end, UNWATCHED, UNHEARD)


def _run_one(model: Model, number: int, announcer: Announcer, skip_periods: bool) -> None:
    """Simulate one SM, which may be heard, or be skipped over where it repeats itself."""

    def simulate(start: int, end: int, watch: np.ndarray) -> int:
        return int(run_cycles(model, number, start, end, watch, UNHEARD, 0)[0])

    record = np.empty((EVENTS_AT_ONCE, COLUMNS), np.int64) if announcer.is_heard else UNHEARD
    steady = SteadyState(model, simulate) if skip_periods and not announcer.is_heard else None
    now, cycles = 0, SHORTEST_SLICE
    while now < NEVER:
        now, recorded = run_cycles(model, number, now, now + cycles, UNWATCHED, record, 0)
        if steady and now < NEVER:
            before, now = now, steady.skip(now)
            cycles = SHORTEST_SLICE if now > before else min(2 * cycles, LONGEST_SLICE)
        for kind, *event in record[:recorded].tolist():
            if kind == ISSUE:
                announcer.issue(*event[:-1], reached=event[-1])
            elif kind == BLOCK_LAUNCHED:
                announcer.block_launched(*event[:2])
            else:
                announcer.warp_exited(*event[:2])
