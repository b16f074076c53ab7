"""The heads of an SMSP's queues: how they leave, when their sources are read, and when their results come."""

from smsim.code import ADU, BARRIER, LG, XU
from smsim.model import Model
from smsim.rules.account import wake
from smsim.rules.adu import adu_free, passes_of, through_adu
from smsim.rules.barriers import arrive
from smsim.rules.bits import around
from smsim.rules.copies import end_copy, pass_group
from smsim.rules.gates import open_gate
from smsim.rules.heads import head_of
from smsim.rules.ldc import has_lines, misses_line
from smsim.rules.result_ports import note_producer
from smsim.rules.rule import rule
from smsim.rules.scoreboard import release_barrier
from smsim.rules.write_ports import in_xu
from smsim.state.sizes import ADU_QUEUE, LG_GATE, MIO_QUEUE

# What the ADU takes from the path leaves its place in the queue so many cycles behind that: ``mingled/issues``.
READ = 1


@rule
def unit_free(m: Model, smsp: int, pc: int, now: int) -> int:
    """When the XU or the ADU takes this instruction."""
    if m.instructions[pc]["unit"] == XU:
        return m.smsps[smsp]["pipe_free"][m.params[0]["xu"]]
    return adu_free(m, smsp, pc, now)


@rule
def leave(m: Model, smsp: int, w: int, pc: int, access: int, now: int) -> None:
    """A queue's head goes to the XU or the ADU: from here on all its times are known."""
    code = m.instructions[pc]
    if code["unit"] == XU:
        has_read = in_xu(m, smsp, pc, now, code["read_latency"] - code["queue_latency"])
        release_barrier(m, w, code["read_barrier"], has_read)
        m.smsps[smsp]["xu_read_barrier"], m.smsps[smsp]["xu_read"] = code["read_barrier"], has_read
        m.smsps[smsp]["pipe_free"][m.params[0]["xu"]] = in_xu(m, smsp, pc, now, code["interval"])
        done = in_xu(m, smsp, pc, now, code["latency"] - code["queue_latency"] - 1) + 1
        m.smsps[smsp]["xu_warp"], m.smsps[smsp]["xu_barrier"] = w, code["write_barrier"]
        m.smsps[smsp]["xu_done"] = done
    else:
        if not keeps_index(m, pc):
            read(m, w, pc, now)
        passes = passes_of(m, pc, access)
        begins = through_adu(m, smsp, pc, passes, now)
        done = since_issue(m, pc, begins) + code["latency"] + (passes - 1) * m.params[0]["match_latency"]
        if code["unit"] == BARRIER:
            m.warps[w]["queued"] -= 1
            arrive(m, w, pc, access, done, now)
            return
        if code["is_ldc"] and misses_line(m, w, pc, access, begins, done):
            return
    finish(m, w, pc, done, now)


@rule
def serve_late_ldcs(m: Model, now: int) -> None:
    """LDCs that wait for lines look for them."""
    sm, number = m.sm[0], 0
    while number < sm["late_ldcs"]:
        ldc = m.late_ldcs[number]
        if ldc["at"] <= now and has_lines(m, number, now):
            finish(m, ldc["warp"], ldc["pc"], ldc["done"], now)
            sm["ldc_places"][ldc["holds"]] = ldc["done"]
            sm["late_ldcs"] -= 1
            for later in range(number, sm["late_ldcs"]):
                m.late_ldcs[later] = m.late_ldcs[later + 1]
        else:
            number += 1


@rule
def remove_head(m: Model, smsp: int, queue: int, now: int) -> None:
    """The queue's head has left: its place is free."""
    state = m.smsps[smsp]
    path = m.instructions[m.queues[head_of(m, smsp, queue)]["pc"]]["path"]
    state["queue_head"][queue] = around(state["queue_head"][queue] + 1, m.params[0]["queue_depth"][queue])
    state["queue_count"][queue] -= 1
    if queue == ADU_QUEUE and path > 0:
        state["adu_back"][0], state["adu_back"][1] = state["adu_back"][1], now + path + READ
        open_gate(m, smsp, queue, now + path + READ)
        return
    open_gate(m, smsp, queue, now)
    if queue == MIO_QUEUE:
        open_gate(m, smsp, LG_GATE, now)


@rule
def since_issue(m: Model, pc: int, now: int) -> int:
    """What leaves its queue now, had it not waited there, was issued then: the table's latencies count from there."""
    return now - m.instructions[pc]["queue_latency"]


@rule
def read(m: Model, w: int, pc: int, now: int) -> None:
    """The instruction leaves its queue now; when it has read its sources follows from that."""
    code = m.instructions[pc]
    release_barrier(m, w, code["read_barrier"], since_issue(m, pc, now) + code["read_latency"])
    wake(m, w, now)


@rule
def finish(m: Model, w: int, pc: int, done: int, now: int) -> None:
    """The instruction's result comes at ``done``; it holds the warp's slot no more."""
    warp = m.warps[w]
    code = m.instructions[pc]
    warp["queued"] -= 1
    if code["ends_group"]:
        pass_group(m, w, done, now)
        return
    if code["is_copy"]:
        end_copy(m, w, done, now)
    if code["is_ldc"] or (code["unit"] != ADU and code["unit"] != LG):
        # In order, which lets the compiler set a barrier on the last of several only; but loads that hit L1 pass those
        # that miss.
        done = max(done, warp["returned"][code["gate"]] + 1)
        warp["returned"][code["gate"]] = done
    warp["sent_until"] = max(warp["sent_until"], done)
    release_barrier(m, w, code["write_barrier"], done)
    note_producer(m, w, pc, done)
    if keeps_index(m, pc):
        release_barrier(m, w, code["read_barrier"], done)
    wake(m, w, now)


@rule
def keeps_index(m: Model, pc: int) -> bool:
    """Whether it needs its register until it has its data: an LDC by index, microbenchmark ``variable/LDC.R/read``."""
    code = m.instructions[pc]
    return bool(code["is_ldc"] and code["is_indexed"])
