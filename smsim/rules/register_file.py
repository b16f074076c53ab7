"""The register file: its read ports, and which operands have to come from it.

Two banks (even and odd registers) with one port each, shared by the SMSP's warps. A read fills the latch of its operand
slot, of which there is one for each bank; it may take place in the three cycles up to the one in which the instruction
goes ahead, or before the one behind the last instruction that had an operand in that latch has gone. So two
instructions, one right behind the other, with two operands of one bank each wait where these stand in the same slots.
The XU's operand is read just before the XU takes the instruction, before all that issue later.
Seen on the H100: microbenchmarks ``ports`` and ``reads`` (pairs and triples by slots and banks) and ``mixes``. That
operands are read within a window is what Huerta et al. (MICRO 2025) found on Ampere.
"""

from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.rule import rule
from smsim.state.sizes import LATE, NEVER, NUM_BANKS, NUM_GENERAL, NUM_SMSPS

LAST_OF_CALENDAR = 62  # cycles from now for which ports can be taken
UPPER_HALF = 1  # the bank of the upper register of a pair


@rule
def reserve_reads(m: Model, w: int, pc: int, reusing: bool, reached: int) -> int:
    """Reserve the ports for an instruction that is ``reached`` then; returns when it has read enough to go ahead."""
    may_wait = m.warps[w]["results_until"] + m.params[0]["read_window"] > reached
    # No loop: in each of these calls the bank's number is a constant.
    even = reserve_in_bank(m, w, pc, reusing, 0, may_wait, reached)
    odd = reserve_in_bank(m, w, pc, reusing, 1, may_wait, reached)
    return max(reached, max(even, odd) + 1 - m.params[0]["read_window"])


@rule
def reserve_in_bank(m: Model, w: int, pc: int, reusing: bool, bank: int, may_wait: bool, reached: int) -> int:
    """Reserve the port of a bank for all that an instruction reads there; returns the last cycle taken, 0 for none."""
    lost = 0
    if reusing:
        lost = m.instructions[pc]["spared"][bank] & m.smsps[w % NUM_SMSPS]["forwarded"][bank]
    spared = reusing and lost == 0
    reads = m.instructions[pc]["reads"][int(spared), bank]
    if reads == 0:
        return 0
    if reads == 1:
        return take_port(m, w % NUM_SMSPS, bank, may_be_read(m, w, pc, spared, bank, 0, may_wait, reached))
    left = (1 << reads) - 1 if spared or not reusing else read_again(m, pc, bank, lost)
    return reserve_several(m, w, pc, spared, bank, left, may_wait, reached)


@rule
def read_again(m: Model, pc: int, bank: int, lost: int) -> int:
    """Of all reads in a bank those that are left (a bit mask) where some latches have lost what they would spare."""
    code = m.instructions[pc]
    kept = code["spared"][bank] & ~lost
    left = 0
    for place in range(code["reads"][0, bank]):
        if code["latches"][0, bank, place] & (LATE - 1) & ~kept != 0:
            left |= 1 << place
    return left


@rule
def reserve_several(
    m: Model, w: int, pc: int, reusing: bool, bank: int, left: int, may_wait: bool, reached: int
) -> int:
    """Reserve the port of a bank for the reads that are ``left`` (a bit mask); returns the last cycle taken."""
    last = 0
    while left != 0:
        place, start = next_read(m, w, pc, reusing, bank, left, may_wait, reached)
        left &= ~(1 << place)
        last = max(last, take_port(m, w % NUM_SMSPS, bank, start))
    return last


@rule
def next_read(
    m: Model, w: int, pc: int, reusing: bool, bank: int, left: int, may_wait: bool, reached: int
) -> tuple[int, int]:
    """Of the reads in a bank that are ``left`` (a bit mask) the one that may take place first, and from when on."""
    place, start = -1, NEVER
    while left != 0:
        i = lowest(left)
        left &= left - 1
        at = may_be_read(m, w, pc, reusing, bank, i, may_wait, reached)
        if at < start:
            place, start = i, at
    return place, start


@rule
def may_be_read(m: Model, w: int, pc: int, reusing: bool, bank: int, place: int, may_wait: bool, reached: int) -> int:
    """When the latches of a read's slots are free, and a result that it reads is there.

    A result is read from the register file; one that comes there too late is forwarded, in the last cycle of the
    window: microbenchmarks ``reused``. The read ``may_wait`` for one if any of the warp's is still to come.
    """
    code = m.instructions[pc]
    latches = code["latches"][int(reusing), bank, place]
    at = reached + code["second_pass"] if latches & LATE else reached
    until = m.smsps[w % NUM_SMSPS]["latched_until"]
    latches &= LATE - 1
    while latches != 0:
        at = max(at, until[bank, lowest(latches)] + 1)
        latches &= latches - 1
    if may_wait and code["reader_class"] >= 0:
        result = m.results[w, code["read_results"][int(reusing), bank, place]]
        if result["writer"] >= 0:
            last = m.params[0]["read_window"] - 1
            arrives = result["ready"] + m.params[0]["forwarding"][result["writer"], code["reader_class"]] + last
            # What reads earlier than its latency allows gets the old value, and does not wait.
            if arrives <= reached + last:
                there = written_at(m, w, code["read_results"][int(reusing), bank, place]) + 1
                at = max(at, min(there, reached + last))
    return at


@rule
def take_port(m: Model, smsp: int, bank: int, start: int) -> int:
    """Take a bank's port in its first free cycle from ``start`` on; returns which."""
    state = m.smsps[smsp]
    taken = state["ports_taken"][bank]
    first = min(start - state["ports_from"], LAST_OF_CALENDAR)
    cycle = lowest((~taken | 1 << LAST_OF_CALENDAR) & -1 << first)
    state["ports_taken"][bank] = taken | 1 << cycle
    return state["ports_from"] + cycle


@rule
def turn_page(m: Model, smsp: int, now: int) -> None:
    """The ports' calendar begins now."""
    state = m.smsps[smsp]
    past = min(now - state["ports_from"], LAST_OF_CALENDAR + 1)
    for bank in range(NUM_BANKS):
        state["ports_taken"][bank] >>= past
    state["ports_from"] = now


@rule
def hold_latches(m: Model, smsp: int, pc: int, at: int) -> None:
    """The instruction goes ahead at ``at``: its operands stay in their latches until its last pass has them."""
    code = m.instructions[pc]
    until = at + m.params[0]["read_window"] - 1 + code["second_pass"]
    for bank in range(NUM_BANKS):
        latches = code["latched"][bank]
        while latches != 0:
            m.smsps[smsp]["latched_until"][bank, lowest(latches)] = until
            latches &= latches - 1


@rule
def keep_operands(m: Model, w: int, pc: int, at: int) -> None:
    """Of the operands marked for reuse those that are forwarded, as the instruction goes ahead at ``at``, are not kept.

    Seen on the H100: microbenchmarks ``reused``.
    """
    code, state = m.instructions[pc], m.smsps[w % NUM_SMSPS]
    for bank in range(NUM_BANKS):
        kept = code["kept"][bank]
        if kept != 0:
            state["forwarded"][bank] &= ~kept
            if m.warps[w]["results_until"] > at:
                for place in range(code["reads"][0, bank]):
                    latches = code["latches"][0, bank, place] & kept
                    if latches != 0 and written_at(m, w, code["read_results"][0, bank, place]) > at + 1:
                        state["forwarded"][bank] |= latches


@rule
def in_register_file(m: Model, w: int, pc: int) -> int:
    """When the operands that cannot be forwarded have been written.

    Seen on the H100 for A and B of IMAD.WIDE and IMAD.HI: microbenchmarks ``mixes``, READER behind WRITER.
    """
    code = m.instructions[pc]
    written = 0
    for i in range(code["registers_end"], code["unforwarded_end"]):
        written = max(written, written_at(m, w, m.places[i]))
    return written


@rule
def written_at(m: Model, w: int, place: int) -> int:
    """When the last result for a register, by its place, has been written to the register file."""
    result = m.results[w, place]
    if result["writer"] < 0:
        return 0
    return result["ready"] + m.params[0]["forwarding"][result["writer"], m.params[0]["register_file"]]


@rule
def one_forwarded(m: Model, w: int, pc: int, at: int) -> int:
    """In each bank one operand may be forwarded: of two, the instruction waits until one has been written.

    The upper half of C of IMAD.WIDE and IMAD.HI, which comes for the second pass, counts with none of the others.
    Seen on the H100: microbenchmarks ``mixes``, READER behind WRITER and WRITER; on an H200: ``halves``.
    """
    code = m.instructions[pc]
    for bank in range(NUM_BANKS):
        if bank == UPPER_HALF and code["second_pass"] > 0:
            continue
        forwarded, first = 0, NEVER
        for i in range(code["reads_from"], code["writes_from"]):
            register = m.registers[i]
            if register < NUM_GENERAL and register % NUM_BANKS == bank:
                written = written_at(m, w, m.places[i])
                if written > at:
                    forwarded += 1
                    first = min(first, written)
        if forwarded > 1:
            at = max(at, first + 1)
    return at
