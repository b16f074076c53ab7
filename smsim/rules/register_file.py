"""The register file's read ports: an issued instruction is held until it can read all its operands in time.

Two banks (even and odd registers) with one port each, shared by the SMSP's warps. An instruction has a window of a few
cycles to read its operands in; it goes ahead in the first cycle from which every bank can serve it within the window,
and until then the dispatcher holds it and takes no other.
Seen on the H100: microbenchmarks ``banks``, and the catalogue's ``banks_clashing`` and ``banks_spread``, whose FFMAs,
all in one bank and mixed, both take 1.5 cycles. The window is the one that Huerta et al. (MICRO 2025) found on Ampere.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NUM_BANKS


@rule
def dispatcher_free(m: Model, smsp: int, now: int) -> int:
    """When another instruction may issue: the one that the dispatcher holds has gone ahead."""
    return max(now, m.smsps[smsp]["dispatched"] + 1)


@rule
def dispatch(m: Model, smsp: int, pc: int, reusing: bool, now: int) -> int:
    """Reserve the ports of an instruction that issues now; returns when it goes ahead."""
    state = m.smsps[smsp]
    at = now
    for bank in range(NUM_BANKS):
        reads = reads_of(m, pc, bank, reusing)
        if reads > 0:
            at = max(at, state["bank_free"][bank] + reads - m.params[0]["read_window"])
    for bank in range(NUM_BANKS):
        state["bank_free"][bank] = max(at, state["bank_free"][bank]) + reads_of(m, pc, bank, reusing)
    state["dispatched"] = at
    return at


@rule
def reads_of(m: Model, pc: int, bank: int, reusing: bool) -> int:
    """Reads of an instruction in a bank, with or without what the reuse cache spares it."""
    code = m.instructions[pc]
    return code["reads_reusing"][bank] if reusing else code["reads"][bank]
