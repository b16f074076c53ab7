"""The register file's read ports: an issued instruction is held until every port it needs is free.

Two banks (even and odd registers) with one port each. The operand slots are read in successive cycles, A, C, B; an
instruction goes ahead in the first cycle in which none of its reads meets one that is reserved; until then the
dispatcher holds it and takes no other.
Seen on the H100: microbenchmarks ``banks``, and the ``banks`` and ``chain_ffma`` kernels.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NUM_BANKS, PORT_WINDOW

# Cycles after dispatch in which slots A, B and C are read.
READ_AFTER = (0, 2, 1)


@rule
def dispatcher_free(m: Model, smsp: int, now: int) -> int:
    """When another instruction may issue: the one that the dispatcher holds has gone ahead."""
    return max(now, m.smsps[smsp]["dispatched"] + 1)


@rule
def dispatch(m: Model, smsp: int, pc: int, reusing: bool, now: int) -> int:
    """Reserve the ports of an instruction that issues now; returns when it goes ahead."""
    state = m.smsps[smsp]
    at = now
    while port_conflict(m, smsp, pc, reusing, at):
        at += 1
    for slot in range(3):
        banks = reads(m, pc, slot, reusing)
        time = at + READ_AFTER[slot]
        for bank in range(NUM_BANKS):
            if (banks >> bank) & 1:
                state["port_taken"][bank, time % PORT_WINDOW] = time
    state["dispatched"] = at
    return at


@rule
def reads(m: Model, pc: int, slot: int, reusing: bool) -> int:
    """Bank mask of an operand slot."""
    code = m.instructions[pc]
    return code["reads_bank_reusing"][slot] if reusing else code["reads_bank"][slot]


@rule
def port_conflict(m: Model, smsp: int, pc: int, reusing: bool, at: int) -> bool:
    """Whether a read of the instruction, going ahead at ``at``, meets a reserved port."""
    for slot in range(3):
        banks = reads(m, pc, slot, reusing)
        time = at + READ_AFTER[slot]
        for bank in range(NUM_BANKS):
            if (banks >> bank) & 1 and m.smsps[smsp]["port_taken"][bank, time % PORT_WINDOW] == time:
                return True
    return False
