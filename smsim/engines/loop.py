"""The compiled driver's loop: the cycles of an SM one after the other, without those in which nothing can happen.

Within a cycle the order is the SimPy driver's: blocks are launched, the MIO's queues move, then SMSP 0 to 3 issue.
"""

import numpy as np
from numpy.typing import NDArray

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.blocks import dispatch_blocks
from smsim.rules.certain_hits import all_hit
from smsim.rules.constant_misses import misses_constants
from smsim.rules.dispatch import reached_at
from smsim.rules.issue import issue
from smsim.rules.mio import serve
from smsim.rules.recurrence import recurs
from smsim.rules.rule import entry, rule
from smsim.rules.select import select
from smsim.rules.smsp import look, next_look
from smsim.state.sizes import NUM_SMSPS

# A row of a record of events: kind, cycle, then the block's number or the warp's slot, and for an issue the warp in the
# trace, the instruction's index, its lanes, and when it gets to the dispatcher.
BLOCK_LAUNCHED, ISSUE, WARP_EXITED = range(3)
COLUMNS = 7


@entry
def run_cycles(
    m: Model, policy: int, start: int, end: int, watch: np.ndarray, record: NDArray[np.int64], alone_until: int
) -> tuple[int, int]:
    """Simulate cycles from ``start`` to before ``end``, fewer when ``record`` is full or SMSPs may repeat themselves.

    Args:
        m: the SM.
        policy: a built-in policy's number.
        start, end: cycles.
        watch: the loop that is watched, if one is (:mod:`smsim.rules.recurrence`).
        record: takes the events in their order, shape (n, COLUMNS), n more than the events of any one cycle; with n of
            0 nothing is recorded.
        alone_until: the cycle to go on to, behind ``end``, as long as the SM touches nothing that SMs share.

    Returns the next cycle in which anything can happen, ``NEVER`` when nothing can any more, and the events recorded.
    """
    now = start
    recorded = 0
    last_start = len(record) - most_events(m)
    while (now < end or (now < alone_until and is_alone(m, now))) and (len(record) == 0 or recorded <= last_start):
        if m.sm[0]["dispatch_wake"] <= now:
            launched = m.sm[0]["launched_blocks"]
            dispatch_blocks(m, now)
            if len(record) > 0 and m.sm[0]["launched_blocks"] > launched:
                put_launch(record, recorded, m.sm[0]["last_block"], now)
                recorded += 1
        if m.sm[0]["mio_wake"] <= now:
            serve(m, now)
        due = those_due(m, now)
        while due != 0:
            recorded = issue_slot(m, lowest(due), policy, now, record, recorded)
            due &= due - 1
        now = max(now + 1, next_event(m))
        if m.sm[0]["looped"] != 0 and recurs(m, watch):
            break
    return now, recorded


@rule
def those_due(m: Model, now: int) -> int:
    """The SMSPs, a bit mask, that have something to look at; none of them gives another such before the next cycle."""
    due = 0
    for smsp in range(NUM_SMSPS):
        due |= (m.smsps[smsp]["wake"] <= now) << smsp
    return due


@rule
def is_alone(m: Model, now: int) -> bool:
    """Whether in this cycle the SM cannot touch what SMs share: the block dispatcher, L2 and DRAM.

    Nothing that may miss is on its way in L1TEX or waits for data that others' stores may make later, and no block is
    about to end, of which the dispatcher hears.
    """
    sm = m.sm[0]
    return sm["dispatch_wake"] > now and sm["dram_until"] < now and all_hit(m) and sm["ending_blocks"] == 0


@rule
def most_events(m: Model) -> int:
    """Events that a cycle has at most: a block's launch, an issue per SMSP, the end of every warp."""
    return 1 + NUM_SMSPS + len(m.warps)


@rule
def issue_slot(m: Model, smsp: int, policy: int, now: int, record: NDArray[np.int64], recorded: int) -> int:
    """What an SMSP does in one cycle; returns the events recorded so far."""
    left = m.smsps[smsp]["resident"]
    eligible = look(m, smsp, now)
    if len(record) > 0:
        left &= ~m.smsps[smsp]["resident"]
        while left != 0:
            put_exit(record, recorded, lowest(left) * NUM_SMSPS + smsp, now)
            recorded += 1
            left &= left - 1
    if eligible != 0:
        w = select(m, smsp, eligible, policy, now)
        if not misses_constants(m, w, now):
            if len(record) > 0:
                put_issue(record, recorded, m, w, now)
                recorded += 1
            issue(m, w, now)
    next_look(m, smsp, eligible, now)
    return recorded


@rule
def put_launch(record: NDArray[np.int64], row: int, number: int, now: int) -> None:
    """A block of the trace is launched."""
    record[row, 0], record[row, 1], record[row, 2] = BLOCK_LAUNCHED, now, number


@rule
def put_exit(record: NDArray[np.int64], row: int, w: int, now: int) -> None:
    """A warp has left its slot."""
    record[row, 0], record[row, 1], record[row, 2] = WARP_EXITED, now, w


@rule
def put_issue(record: NDArray[np.int64], row: int, m: Model, w: int, now: int) -> None:
    """A warp is about to issue."""
    warp = m.warps[w]
    record[row, 0], record[row, 1], record[row, 2] = ISSUE, now, w
    record[row, 3], record[row, 4], record[row, 5] = warp["trace_warp"], warp["pc"], warp["mask"]
    record[row, 6] = reached_at(m, w % NUM_SMSPS, now)


@rule
def next_event(m: Model) -> int:
    """The first cycle in which a unit has something to do."""
    at = min(m.sm[0]["dispatch_wake"], m.sm[0]["mio_wake"])
    for smsp in range(NUM_SMSPS):
        at = min(at, m.smsps[smsp]["wake"])
    return at
