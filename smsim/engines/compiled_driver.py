"""The compiled driver: the loop over the cycles is machine code, from which Python gets the word now and then."""

import numpy as np

from isa.trace import Trace
from smsim.engines.announcer import Announcer, check_all_left
from smsim.engines.loop import BLOCK_LAUNCHED, COLUMNS, ISSUE, run_cycles
from smsim.engines.steady_state import SteadyState
from smsim.model import Model
from smsim.policies import policy_number
from smsim.state import NEVER

# Between two looks at whether the user has pressed Ctrl-C, or whether the SM repeats itself; the longer, the more often
# it did not. A fraction of a second.
SHORTEST_SLICE, LONGEST_SLICE = 20_000, 320_000  # cycles
EVENTS_AT_ONCE = 20_000
# Longest period looked for, in repeats of a loop.
MOST_LOOPS = 64


def run(trace: Trace, model: Model, policy: str, announcer: Announcer, *, skip_periods: bool = True) -> None:
    """Simulate one SM until every block has left it.

    Args:
        trace, model: what runs, and the SM set up for it.
        policy: a policy's name.
        announcer: told of every event, some time after it happened.
        skip_periods: whether to skip what repeats exactly where nobody listens; the result is the same.

    Raises KernelError when warps are left that nothing can wake, MachineError for an unknown policy.
    """
    number = policy_number(policy)
    record = np.empty((EVENTS_AT_ONCE if announcer.is_heard else 0, COLUMNS), np.int64)
    steady = SteadyState(model) if skip_periods and not announcer.is_heard else None
    now, cycles = 0, SHORTEST_SLICE
    while now < NEVER:
        now, recorded = run_cycles(model, number, now, now + cycles, NEVER, record)
        if steady and now < NEVER:
            now, skipped = _skip_periods(steady, model, number, now)
            cycles = SHORTEST_SLICE if skipped else min(2 * cycles, LONGEST_SLICE)
        for kind, *event in record[:recorded].tolist():
            if kind == ISSUE:
                announcer.issue(*event)
            elif kind == BLOCK_LAUNCHED:
                announcer.block_launched(*event[:2])
            else:
                announcer.warp_exited(*event[:2])
    check_all_left(trace, model)


def _skip_periods(steady: SteadyState, model: Model, policy: int, now: int) -> tuple[int, int]:
    """Watch some repeats of a loop and skip what repeats exactly.

    Returns the cycle that the SM has come to, and how many were skipped.
    """
    if not steady.follow():
        return now, 0
    nothing = np.empty((0, COLUMNS), np.int64)
    now, _ = run_cycles(model, policy, now, now + SHORTEST_SLICE, 1, nothing)
    if now >= NEVER:
        return now, 0
    first = steady.snapshot(now)
    for loops in range(2, MOST_LOOPS + 2):
        now, _ = run_cycles(model, policy, now, first.now + SHORTEST_SLICE, loops, nothing)
        if now >= NEVER or not steady.may_repeat(first):
            break
        if steady.hint(now) == first.hint and (skipped := steady.skip(first, steady.snapshot(now))):
            return now + skipped, skipped
    return now, 0
