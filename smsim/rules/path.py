"""The path of an SMSP to the LSU, and to the ADU for what reads registers: one instruction at a time, in order.

Every source register takes its cycles on it. At its end an instruction enters the LSU, one of all four SMSPs at a time.
Seen on the H100: microbenchmarks ``mio/behind`` and ``mio/issues``, for the turns ``entries/pair``.
"""

from isa.trace.model import Space
from smsim.code import LG, MEMBAR
from smsim.model import Model
from smsim.rules.data_path import send_data
from smsim.rules.fences import leave_path, let_others, may_take_path, pass_fence
from smsim.rules.heads import head_of
from smsim.rules.l1 import queue_free
from smsim.rules.memory import enter_l1tex, places
from smsim.rules.queues import leave, read, remove_head, since_issue, unit_free
from smsim.rules.rule import rule
from smsim.rules.shared import enter_data_queue, place_free
from smsim.state.sizes import ADU_QUEUE, MIO_QUEUE, NEVER, NUM_SMSPS, PLAIN

SHARED = int(Space.SHARED)
# Instructions of each kind, INDEXED and PLAIN, that enter the LSU before it is the other's turn.
ENTRIES_IN_TURN = (7, 4)


@rule
def serve_path(m: Model, smsp: int, enters: bool, looks: bool, now: int) -> int:
    """Let go what may take the path, and what enters the LSU; returns when something next may, as far as is known.

    ``enters``: it is the SMSP's turn to enter the data stage's queue; ``looks``: L1's.
    """
    way = m.smsps[smsp]
    while True:
        blocked_until = now
        if way["moving_warp"] >= 0:
            if way["moving_until"] > now:
                return way["moving_until"]
            if m.instructions[way["moving_pc"]]["fences_block"]:
                if leave_path(m, smsp, now):
                    way["moving_warp"] = -1
                else:
                    blocked_until = now + 1
            elif enters or looks:
                arrive(m, smsp, now)
            else:
                blocked_until = max(now + 1, lsu_free(m, smsp))
        if blocked_until == now and not may_take_path(m, smsp, now):
            blocked_until = now + 1
        queue, at = next_on_path(m, smsp, blocked_until > now, now)
        if at > now:
            return min(at, blocked_until) if blocked_until > now else at
        entry = m.queues[head_of(m, smsp, queue)]
        w, pc, access = entry["warp"], entry["pc"], entry["access"]
        if queue == ADU_QUEUE:
            way["operand_path_free"] = now + m.instructions[pc]["path"]
            m.sm[0]["port_taken"][smsp] = now + m.instructions[pc]["path"]
            leave(m, smsp, w, pc, access, now)
        elif m.instructions[pc]["unit"] == MEMBAR and not m.instructions[pc]["fences_block"]:
            way["operand_path_free"] = now + m.instructions[pc]["path"]
            pass_fence(m, w, pc, now)
            let_others(m, smsp, now)
        else:
            if m.instructions[pc]["unit"] == MEMBAR:
                pass_fence(m, w, pc, now)
            else:
                read(m, w, pc, now)
            if m.instructions[pc]["is_lg"]:
                way["lg_count"] -= 1
                way["lg_left"] = now
            way["moving_warp"], way["moving_pc"], way["moving_access"] = w, pc, access
            way["moving_to_tags"], way["moving_phase"] = needs_tags(m, pc, access), entry["phase"]
            way["moving_certainty"] = entry["certainty"]
            way["moving_until"] = now + m.instructions[pc]["path"]
            send_data(m, smsp, now)
        remove_head(m, smsp, queue, now)


@rule
def those_come(m: Model, now: int) -> int:
    """The SMSPs, a bit mask, of which an instruction for the LSU is at the end of their path."""
    come = 0
    for smsp in range(NUM_SMSPS):
        way = m.smsps[smsp]
        has_come = way["moving_warp"] >= 0 and way["moving_until"] <= now
        come |= (has_come and not m.instructions[way["moving_pc"]]["fences_block"]) << smsp
    return come


@rule
def coming_in(m: Model, come: int, now: int) -> tuple[int, int]:
    """The SMSPs whose instructions, of those that have come, enter the LSU, for the data stage and for L1; -1 for none.

    All are asked, each time from another one on; once one enters for the data stage, those behind it that have to go to
    L1 wait for a later cycle. Seen on the H100: microbenchmark ``tiles``.
    """
    sm = m.sm[0]
    enters, looks = entering(m, come, now), looking(m, come, now)
    if enters >= 0 or looks >= 0:
        first = sm["asked_first"]
        sm["asked_first"] = (first + 1) % NUM_SMSPS
        if enters >= 0 and looks >= 0 and (looks - first) % NUM_SMSPS > (enters - first) % NUM_SMSPS:
            looks = -1
    return enters, looks


@rule
def entering(m: Model, come: int, now: int) -> int:
    """The SMSP whose instruction, of those that have come, enters the data stage's queue in this cycle, -1 for none.

    The two kinds take turns, of some instructions each; what cannot use its turn lets the other kind go first.
    """
    if is_port_taken(m, now):
        come = without_lanes(m, come)
    first = m.sm[0]["entry_turn"]
    smsp = next_of_kind(m, come, first, now)
    if smsp >= 0:
        m.sm[0]["entries"] += 1
        if m.sm[0]["entries"] == ENTRIES_IN_TURN[first]:
            m.sm[0]["entry_turn"], m.sm[0]["entries"] = 1 - first, 0
        return smsp
    return next_of_kind(m, come, 1 - first, now)


@rule
def is_port_taken(m: Model, now: int) -> bool:
    """Whether an instruction of the ADU brings its lanes' data in this cycle: then none enters the LSU with such.

    Seen on the H100: microbenchmarks ``mingled``, two and three SHFL or STS to a REDUX and rows of different SMSPs.
    """
    taken = False
    for smsp in range(NUM_SMSPS):
        taken |= m.sm[0]["port_taken"][smsp] == now
    return taken


@rule
def without_lanes(m: Model, come: int) -> int:
    """Of the SMSPs whose instructions have come those whose do not bring their lanes' data."""
    for smsp in range(NUM_SMSPS):
        if come >> smsp & 1 and m.instructions[m.smsps[smsp]["moving_pc"]]["sends_lanes"]:
            come &= ~(1 << smsp)
    return come


@rule
def next_of_kind(m: Model, come: int, kind: int, now: int) -> int:
    """Of the SMSPs whose instructions have come one whose may enter the LSU and is of a kind, -1 for none; in turn."""
    sm = m.sm[0]
    for i in range(NUM_SMSPS):
        smsp = (sm["entry_next"][kind] + i) % NUM_SMSPS
        way = m.smsps[smsp]
        if come >> smsp & 1:
            code = m.instructions[way["moving_pc"]]
            is_of_kind = not way["moving_to_tags"] and code["entry_kind"] == kind
            if is_of_kind and lsu_free(m, smsp) <= now:
                sm["entry_next"][kind] = (smsp + 1) % NUM_SMSPS
                sm["entry_next"][PLAIN] = (smsp + 1) % NUM_SMSPS
                return smsp
    return -1


@rule
def looking(m: Model, come: int, now: int) -> int:
    """The SMSP whose instruction, of those that have come, enters L1's queue in this cycle, -1 for none; in turn."""
    sm = m.sm[0]
    if sm["l1tex_count"] == 0:
        return -1
    for i in range(NUM_SMSPS):
        smsp = (sm["l1_next"] + i) % NUM_SMSPS
        if come >> smsp & 1 and m.smsps[smsp]["moving_to_tags"]:
            if lsu_free(m, smsp) > now:
                return -1
            sm["l1_next"] = (smsp + 1) % NUM_SMSPS
            return smsp
    return -1


@rule
def next_on_path(m: Model, smsp: int, blocked: bool, now: int) -> tuple[int, int]:
    """The queue whose head takes the path next, and when: NEVER if there is none.

    The MIO's goes first, but for one that comes as the path is free and the ADU's has waited for it. What comes as the
    path becomes free takes it a cycle later, but loads and S2R, of which that is known sooner. The ADU's goes only when
    its unit takes it. What waits for the LSU at the path's end blocks the MIO's alone.
    Seen on the H100: microbenchmarks ``mingled``; on an H200: ``spaced``.
    """
    state = m.smsps[smsp]
    path_free = int(state["operand_path_free"])
    at, known = NEVER, NEVER
    if state["queue_count"][MIO_QUEUE] > 0 and not blocked:
        head = m.queues[head_of(m, smsp, MIO_QUEUE)]
        known = head["ready"] - m.instructions[head["pc"]]["sends_nothing"]
        at = max(head["ready"], path_free + (known == path_free))
    if state["queue_count"][ADU_QUEUE] > 0:
        head = m.queues[head_of(m, smsp, ADU_QUEUE)]
        if m.instructions[head["pc"]]["path"] > 0:
            ready = head["ready"] + (head["ready"] == path_free)
            adu_at = max(ready, path_free, unit_free(m, smsp, head["pc"], now))
            if max(adu_at, now) < at or (adu_at < now and known == now):
                return ADU_QUEUE, adu_at
    return MIO_QUEUE, at


@rule
def lsu_free(m: Model, smsp: int) -> int:
    """When the LSU takes the instruction at the path's end; what needs tags needs places in front of L1, too."""
    way = m.smsps[smsp]
    code = m.instructions[way["moving_pc"]]
    free = int(m.sm[0]["lsu_free"])
    if way["moving_to_tags"]:
        taken = places(m, way["moving_pc"], way["moving_access"])
        free = max(free, queue_free(m, taken))
    return free if code["unit"] == LG and code["is_store"] else max(free, place_free(m))


@rule
def needs_tags(m: Model, pc: int, access: int) -> bool:
    """Whether the instruction goes through L1's tag stage: local and global accesses do."""
    return m.instructions[pc]["unit"] == LG and (access < 0 or m.kinds[m.accesses[access]["kind"]]["space"] != SHARED)


@rule
def arrive(m: Model, smsp: int, now: int) -> None:
    """The instruction on the path enters the LSU."""
    way = m.smsps[smsp]
    w, pc, access = way["moving_warp"], way["moving_pc"], way["moving_access"]
    way["moving_warp"] = -1
    way["operand_path_free"] = max(way["operand_path_free"], now)
    let_others(m, smsp, now)
    m.sm[0]["l1tex_count"] -= m.instructions[pc]["unit"] == LG
    if way["moving_to_tags"]:
        enter_l1tex(m, w, pc, access, since_issue(m, pc, now - m.instructions[pc]["path"]), now)
    else:
        enter_data_queue(m, w, pc, access, way["moving_phase"], now)
