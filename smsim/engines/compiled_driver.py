"""The compiled driver: the loop over the cycles is machine code, from which Python gets the word now and then."""

import numpy as np

from isa.trace import Trace
from smsim.engines.announcer import Announcer, check_all_left
from smsim.engines.loop import BLOCK_LAUNCHED, COLUMNS, ISSUE, run_cycles
from smsim.model import Model
from smsim.policies import policy_number
from smsim.state import NEVER

# Between two looks at whether the user has pressed Ctrl-C: a fraction of a second.
SLICE_CYCLES = 100_000
EVENTS_AT_ONCE = 20_000


def run(trace: Trace, model: Model, policy: str, announcer: Announcer) -> None:
    """Simulate one SM until every block has left it.

    Args:
        trace, model: what runs, and the SM set up for it.
        policy: a policy's name.
        announcer: told of every event, some time after it happened.

    Raises KernelError when warps are left that nothing can wake, MachineError for an unknown policy.
    """
    number = policy_number(policy)
    record = np.empty((EVENTS_AT_ONCE if announcer.is_heard else 0, COLUMNS), np.int64)
    now = 0
    while now < NEVER:
        now, recorded = run_cycles(model, number, now, now + SLICE_CYCLES, record)
        for kind, *event in record[:recorded].tolist():
            if kind == ISSUE:
                announcer.issue(*event)
            elif kind == BLOCK_LAUNCHED:
                announcer.block_launched(*event[:2])
            else:
                announcer.warp_exited(*event[:2])
    check_all_left(trace, model)
