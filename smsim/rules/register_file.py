"""The register file's read ports: an issued instruction goes ahead when it can read all its operands in time.

Two banks (even and odd registers) with one port each, shared by the SMSP's warps; reads take the next free cycles of
their bank's port from the issue on. An instruction goes ahead in the first cycle from which its last read lies within a
window of a few cycles. One that waits for that holds back the instruction after the next, whichever warp it is of: the
next one may issue and wait behind it.
Seen on the H100: microbenchmarks ``reads`` (triples and rows of instructions by their reads in each bank) and
``banks``. That operands are read within a window is what Huerta et al. (MICRO 2025) found on Ampere.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NUM_BANKS


@rule
def dispatcher_free(m: Model, smsp: int, now: int) -> int:
    """When another instruction may issue: of the last two, the first has gone ahead."""
    return max(now, m.smsps[smsp]["dispatched_before"] + 2)


@rule
def dispatch(m: Model, smsp: int, pc: int, reusing: bool, now: int) -> int:
    """Reserve the ports of an instruction that issues now; returns when it goes ahead."""
    state = m.smsps[smsp]
    at = max(now, state["dispatched"] + 1)
    for bank in range(NUM_BANKS):
        reads = reads_of(m, pc, bank, reusing)
        if reads > 0:
            state["bank_free"][bank] = max(now, state["bank_free"][bank]) + reads
            at = max(at, state["bank_free"][bank] - m.params[0]["read_window"])
    state["dispatched_before"] = state["dispatched"]
    state["dispatched"] = at
    return at


@rule
def reads_of(m: Model, pc: int, bank: int, reusing: bool) -> int:
    """Reads of an instruction in a bank, with or without what the reuse cache spares it."""
    code = m.instructions[pc]
    return code["reads_reusing"][bank] if reusing else code["reads"][bank]
