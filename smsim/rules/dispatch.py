"""The dispatcher: from issue to the pipes, in order, one instruction a cycle.

An instruction waits there for its operands: for the register file's ports, for what cannot be forwarded; IMAD.WIDE and
IMAD.HI take a second pass of two cycles. While one waits, the next may issue and wait behind it; then the SMSP issues
nothing, and no warp's stall count runs.
Seen on the H100: microbenchmarks ``mixes``, ``reads`` and ``compiled``; which reason such cycles count for, in ncu's
counters of chains of FFMAs (``wait`` for the ports) and of IMAD.HI (``dispatch_stall`` for the rest).
"""

from smsim.code import XU
from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.register_file import in_register_file, one_forwarded, reads_of, reserve_reads
from smsim.rules.rule import rule
from smsim.state import NUM_BANKS, NUM_SMSPS


@rule
def dispatcher_free(m: Model, smsp: int, now: int) -> int:
    """When another instruction may issue."""
    state = m.smsps[smsp]
    for i in range(2):
        if state["frozen_from"][i] <= now < state["frozen_until"][i]:
            return state["frozen_until"][i]
    return now


@rule
def start_stall(m: Model, w: int, stall: int, now: int) -> None:
    """A stall count begins; it does not run while the dispatcher is held up."""
    warp = m.warps[w]
    state = m.smsps[warp["smsp"]]
    warp["stall_until"] = now + stall
    warp["held_until"] = now + stall
    for i in range(2):
        first = state["frozen_from"][i]
        if now < first:
            lengthen(m, w, first, state["frozen_read"][i], state["frozen_until"][i])


@rule
def lengthen(m: Model, w: int, first: int, read: int, end: int) -> None:
    """A warp's stall count does not run from ``first`` to ``end``; until ``read`` that is still ``wait``."""
    warp = m.warps[w]
    if warp["stall_until"] > first:
        warp["stall_until"] += read - first
    if warp["held_until"] > first:
        warp["held_until"] += end - first


@rule
def freeze(m: Model, smsp: int, first: int, read: int, end: int) -> None:
    """No instruction issues, and no stall count runs, from ``first`` to before ``end``.

    Until ``read``, while the register file's ports are busy, a stall count that does not run is still ``wait``.
    """
    state = m.smsps[smsp]
    state["frozen_from"][0], state["frozen_read"][0] = state["frozen_from"][1], state["frozen_read"][1]
    state["frozen_until"][0] = state["frozen_until"][1]
    state["frozen_from"][1], state["frozen_read"][1], state["frozen_until"][1] = first, read, end
    resident = state["resident"]
    while resident != 0:
        lengthen(m, lowest(resident) * NUM_SMSPS + smsp, first, read, end)
        resident &= resident - 1


@rule
def dispatch(m: Model, w: int, pc: int, reusing: bool, now: int) -> int:
    """Reserve the ports of an instruction that issues now; returns when it goes ahead."""
    warp, code = m.warps[w], m.instructions[pc]
    smsp = warp["smsp"]
    state = m.smsps[smsp]
    turn = max(now, state["dispatched"] + 1)
    at = turn
    read = at
    if warp["mask"] != 0:
        at = max(at, reserve_reads(m, smsp, pc, reusing, now))
        if code["awaits_file"] and warp["results_until"] > at:
            at = one_forwarded(m, w, pc, at)
        read = at
        if code["awaits_file"] and warp["results_until"] > at:
            at = max(at, in_register_file(m, w, pc))
        if code["pipe"] != m.params[0]["uniform"]:
            at = past_fp64(m, smsp, code["pipe"], at)
            at = past_xu(m, smsp, pc, reusing, at)
    state["dispatched"] = at + code["second_pass"]
    if state["dispatched"] > turn:
        freeze(m, smsp, turn + 2, read + 2, state["dispatched"] + 2)
    return at


@rule
def queue_behind(m: Model, smsp: int, pc: int, now: int) -> None:
    """An instruction that reads no operands, or later, takes its turn at the dispatcher."""
    state, code = m.smsps[smsp], m.instructions[pc]
    state["dispatched"] = max(now, state["dispatched"] + 1)
    if code["unit"] == XU:
        for bank in range(NUM_BANKS):
            if code["reads"][bank] > 0:
                state["xu_read"][bank] = state["dispatched"] + 1


@rule
def past_xu(m: Model, smsp: int, pc: int, reusing: bool, at: int) -> int:
    """The XU's operand is read behind the next instruction if that one reads the bank, and then before all others.

    Seen on the H100: microbenchmarks ``mixes``, quads; instructions of the FP64 unit have no part in it.
    """
    if m.instructions[pc]["pipe"] == m.params[0]["fp64"]:
        return at
    state = m.smsps[smsp]
    for bank in range(NUM_BANKS):
        if reads_of(m, pc, bank, reusing) > 0:
            if state["xu_slot"][bank] == at:
                at += 1
            if state["xu_read"][bank] == at:
                state["xu_slot"][bank] = at + 1
    return at


@rule
def past_fp64(m: Model, smsp: int, pipe: int, at: int) -> int:
    """The FP64 unit's instructions have the dispatcher a second time; no other for a vector pipe goes then.

    Seen on the H100: microbenchmarks ``mixes``, quads.
    """
    p, state = m.params[0], m.smsps[smsp]
    if pipe == p["fp64"]:
        state["fp64_slot"] = at + p["fp64_slot"]
    elif state["fp64_slot"] == at:
        return at + 1
    return at
