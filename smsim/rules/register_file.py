"""The register file: its read ports, and which operands have to come from it.

Two banks (even and odd registers) with one port each, shared by the SMSP's warps; reads take the next free cycles of
their bank's port from the issue on. An instruction goes ahead in the first cycle from which its last read lies within a
window of a few cycles.
Seen on the H100: microbenchmarks ``reads`` (triples and rows of instructions by their reads in each bank) and
``banks``. That operands are read within a window is what Huerta et al. (MICRO 2025) found on Ampere.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import NEVER, NUM_BANKS, NUM_GENERAL


@rule
def reserve_reads(m: Model, smsp: int, pc: int, reusing: bool, now: int) -> int:
    """Reserve the ports for an instruction that issues now; returns when it has read enough to go ahead."""
    free = m.smsps[smsp]["bank_free"]
    at = now
    for bank in range(NUM_BANKS):
        reads = reads_of(m, pc, bank, reusing)
        if reads > 0:
            free[bank] = max(now, free[bank]) + reads
            at = max(at, free[bank] - m.params[0]["read_window"])
    return at


@rule
def reads_of(m: Model, pc: int, bank: int, reusing: bool) -> int:
    """Reads of an instruction in a bank, with or without what the reuse cache spares it."""
    code = m.instructions[pc]
    return code["reads_reusing"][bank] if reusing else code["reads"][bank]


@rule
def in_register_file(m: Model, w: int, pc: int) -> int:
    """When the operands that cannot be forwarded have been written.

    Seen on the H100 for A and B of IMAD.WIDE and IMAD.HI: microbenchmarks ``mixes``, READER behind WRITER.
    """
    code = m.instructions[pc]
    written = 0
    for i in range(code["registers_end"], code["unforwarded_end"]):
        written = max(written, written_at(m, w, m.registers[i]))
    return written


@rule
def written_at(m: Model, w: int, register: int) -> int:
    """When the last result for a register has been written to the register file."""
    result = m.results[w, register]
    if result["writer"] < 0:
        return 0
    return result["ready"] + m.params[0]["forwarding"][result["writer"], m.params[0]["register_file"]]


@rule
def one_forwarded(m: Model, w: int, pc: int, at: int) -> int:
    """In each bank one operand may be forwarded: of two, the instruction waits until one has been written.

    Seen on the H100: microbenchmarks ``mixes``, READER behind WRITER and WRITER.
    """
    code = m.instructions[pc]
    for bank in range(NUM_BANKS):
        forwarded, first = 0, NEVER
        for i in range(code["reads_from"], code["writes_from"]):
            register = m.registers[i]
            if register < NUM_GENERAL and register % NUM_BANKS == bank:
                written = written_at(m, w, register)
                if written > at:
                    forwarded += 1
                    first = min(first, written)
        if forwarded > 1:
            at = max(at, first + 1)
    return at
