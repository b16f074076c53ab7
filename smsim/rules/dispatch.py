"""The dispatcher: from issue to the pipes, in order, one instruction a cycle.

An instruction waits there for its operands: for the register file's ports, for what cannot be forwarded; IMAD.WIDE and
IMAD.HI take a second pass of two cycles; without lanes it does none of this. While one waits, the next may come up
behind it; all others on the way stand still. Issue learns of it some cycles later: then the SMSP issues nothing, and no
warp's stall count runs, for as long as the instruction waited. What is on the way by then has issued in time, but gets
to the dispatcher late.
Seen on the H100: microbenchmarks ``mixes``, ``reads`` and ``compiled`` for what waits how long; when issue stops, in
warp samples of such an instruction with eight rows of stall counts behind it (tests/engines/test_dispatcher.py). On an
H200: ``switched_off``, rows of instructions without lanes.
"""

from smsim.model import Model
from smsim.operand_path import SECOND_WORD
from smsim.rules.bits import lowest
from smsim.rules.register_file import (
    hold_latches,
    in_register_file,
    keep_operands,
    one_forwarded,
    reserve_reads,
    take_port,
    turn_page,
)
from smsim.rules.rule import entry, rule
from smsim.rules.write_ports import await_result, in_xu, past_results, take_write_ports
from smsim.state.sizes import NEVER, NUM_GENERAL, NUM_SMSPS, PREDICATES, UNIFORM_PREDICATES

# Issue stops so many cycles behind the turn of what waits, counted without the cycles in which it had stopped already.
FROZEN_AFTER = 5
# The dispatcher has room for the instruction behind the one that waits; what comes later stands still on the way.
STOPPED_AFTER = 2
# A branch behind it finds no room there, and lands as much later.
BRANCH_STOPPED_AFTER = 1
# One that asks for constants, in time, does so.
CONSTANTS_STOPPED_AFTER = 3
# A DSETP's predicate comes a cycle later than that of an ALU instruction: microbenchmarks ``latency``.
DSETP_LATER = 1
# The XU reads the second of two registers so many cycles behind the first.
SECOND_READ = 2


@rule
def dispatcher_free(m: Model, smsp: int, now: int) -> int:
    """When another instruction may issue."""
    state = m.smsps[smsp]
    for i in range(state["freezes"]):
        if state["frozen_from"][i] <= now < state["frozen_until"][i]:
            return state["frozen_until"][i]
    return now


@entry
def reached_at(m: Model, smsp: int, now: int) -> int:
    """When an instruction that issues now gets to the dispatcher: now, if what is on the way need not wait."""
    return put_off(m, smsp, now, FROZEN_AFTER - STOPPED_AFTER, now)


@rule
def branch_reached_at(m: Model, smsp: int, now: int) -> int:
    """When a branch that issues now gets on: seen on an H200, microbenchmarks ``stopped``."""
    return put_off(m, smsp, now, FROZEN_AFTER - BRANCH_STOPPED_AFTER, now)


@rule
def constants_asked_at(m: Model, smsp: int, now: int) -> int:
    """When an instruction that issues now asks for constants: on an H200, microbenchmarks ``touched/*, stopped``."""
    return put_off(m, smsp, now, FROZEN_AFTER - CONSTANTS_STOPPED_AFTER, now)


@rule
def turn_of(m: Model, smsp: int, now: int) -> int:
    """When the dispatcher takes an instruction that issues now, behind all that are on the way."""
    return put_off(m, smsp, now, NEVER, now)


@rule
def after(m: Model, smsp: int, cycles: int, now: int) -> int:
    """When so many cycles have gone by, those not counted in which nothing will issue."""
    return put_off(m, smsp, now + cycles, -1, now)


@rule
def put_off(m: Model, smsp: int, at: int, before: int, now: int) -> int:
    """A time, later by each stop of issue ahead that it lies behind, or that begins at most ``before`` cycles later."""
    state = m.smsps[smsp]
    for i in range(state["freezes"]):
        first = state["frozen_from"][i]
        if first > now and at >= first - before:
            at += state["frozen_until"][i] - first
    return at


@rule
def forget_freezes(m: Model, smsp: int, now: int) -> None:
    """When the last stop of issue is over, none is kept: to look at them takes time."""
    state = m.smsps[smsp]
    if state["frozen_until"][max(state["freezes"], 1) - 1] <= now:
        state["freezes"] = 0


@rule
def freeze(m: Model, smsp: int, first: int, end: int, now: int) -> None:
    """No instruction issues, and no stall count runs, from ``first`` to before ``end``."""
    state = m.smsps[smsp]
    kept = 0
    for i in range(state["freezes"]):
        if state["frozen_until"][i] > now:
            state["frozen_from"][kept], state["frozen_until"][kept] = state["frozen_from"][i], state["frozen_until"][i]
            kept += 1
    state["frozen_from"][kept], state["frozen_until"][kept] = first, end
    state["freezes"] = kept + 1
    if state["stalled_until"] > first:
        state["stalled_until"] += end - first
        resident = state["resident"]
        while resident != 0:
            warp = m.warps[lowest(resident) * NUM_SMSPS + smsp]
            if warp["stall_until"] > first:
                warp["stall_until"] += end - first
            resident &= resident - 1


@rule
def stall(m: Model, w: int, until: int) -> None:
    """The warp's stall count runs until then."""
    state = m.smsps[w % NUM_SMSPS]
    m.warps[w]["stall_until"] = until
    state["stalled_until"] = max(state["stalled_until"], until)


@rule
def dispatch(m: Model, w: int, pc: int, reusing: bool, reached: int, now: int) -> int:
    """Reserve the ports of an instruction that issues now, and is there at ``reached``.

    Returns when its last pass goes ahead.
    """
    warp, code = m.warps[w], m.instructions[pc]
    smsp = w % NUM_SMSPS
    turn = turn_of(m, smsp, now)
    at = turn
    if warp["mask"] != 0:
        turn_page(m, smsp, now)
        at = max(at, reserve_reads(m, w, pc, reusing, reached))
        if code["awaits_file"] and warp["results_until"] > turn:
            at = max(at, one_forwarded(m, w, pc, turn), in_register_file(m, w, pc))
        if code["pipe"] != m.params[0]["uniform"]:
            at = past_results(m, smsp, pc, past_fp64(m, smsp, pc, at), now)
            at = past_fp64(m, smsp, pc, at)  # again: past results it may have come to FP64's cycle
            take_slots(m, smsp, pc, at)
        hold_latches(m, smsp, pc, at)
        if code["keeps"]:
            keep_operands(m, w, pc, at)
        at += code["second_pass"]
    if at > turn:
        freeze(m, smsp, turn + FROZEN_AFTER, at + FROZEN_AFTER, now)
    return at


@rule
def read_for_xu(m: Model, smsp: int, pc: int, executes: bool, turn: int, now: int) -> None:
    """An instruction for the XU issues now, whose turn at the dispatcher is then.

    Its operand is read before the XU takes it, of two the second one later; behind another one it is read a cycle
    earlier. One whose guard is false reads nothing, but its result's turn comes.
    Seen on the H100: microbenchmarks ``alongside``, ports and off.
    """
    code, state = m.instructions[pc], m.smsps[smsp]
    taken = max(turn + code["queue_latency"], state["xu_next"])
    state["xu_next"] = in_xu(m, smsp, pc, taken, code["interval"])
    await_result(m, smsp, pc, taken, now)
    if executes:
        turn_page(m, smsp, now)
        first, second = code["xu_reads"]
        at = max(turn + code["queue_latency"] - (SECOND_WORD if second >= 0 else 0), taken - 1) - 1
        if first >= 0:
            take_port(m, smsp, first, at)
        if second >= 0:
            take_port(m, smsp, second, at + SECOND_READ)


@rule
def past_fp64(m: Model, smsp: int, pc: int, at: int) -> int:
    """The FP64 unit's instructions have the dispatcher a second time; nothing else with a result goes then.

    A DSETP's predicate is written a cycle later than an ALU instruction's: none that writes one goes right behind it.
    Seen on the H100: microbenchmarks ``mixes``, quads, and ``ports``, random rows; ``resumed``, DSETP.
    """
    p, state, code = m.params[0], m.smsps[smsp], m.instructions[pc]
    if code["pipe"] != p["fp64"]:
        if state["fp64_slot"] == at and has_result(m, pc):
            at += 1
        if state["dsetp_slot"] == at and code["pipe"] == p["alu"] and writes_predicate(m, pc):
            at += 1
    return at


@rule
def take_slots(m: Model, smsp: int, pc: int, at: int) -> None:
    """The instruction goes ahead at ``at``: what it takes from others then and later."""
    p, state = m.params[0], m.smsps[smsp]
    if m.instructions[pc]["pipe"] == p["fp64"]:
        if has_result(m, pc):
            state["fp64_slot"] = at + p["fp64_slot"]
        else:
            state["dsetp_slot"] = at + DSETP_LATER
    take_write_ports(m, smsp, pc, at)


@rule
def writes_predicate(m: Model, pc: int) -> bool:
    """Whether the instruction writes a predicate register."""
    code = m.instructions[pc]
    for i in range(code["writes_from"], code["registers_end"]):
        if PREDICATES <= m.registers[i] < UNIFORM_PREDICATES:
            return True
    return False


@rule
def has_result(m: Model, pc: int) -> bool:
    """Whether the instruction writes a general register."""
    code = m.instructions[pc]
    return code["writes_from"] < code["registers_end"] and m.registers[code["writes_from"]] < NUM_GENERAL
