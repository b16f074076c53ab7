"""Shared memory and L1TEX: what a queued access does once the LSU has it, and when its data is there."""

from isa.trace.model import Space
from smsim.events import Event
from smsim.model import Model
from smsim.rules.atomics import atomic
from smsim.rules.loads import load
from smsim.rules.rule import rule
from smsim.rules.stores import store
from smsim.state import NUM_SMSPS

SHARED = int(Space.SHARED)
SHARED_REQUESTS = int(Event.SHARED_REQUESTS)
SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)


@rule
def take_lsu(m: Model, smsp: int, pc: int, path: float, shared: float, now: int) -> None:
    """The instruction holds its SMSP's way to the LSU, and the LSU that the SMSPs share, at least for its interval."""
    code = m.instructions[pc]
    way, sm = m.smsps[smsp], m.sm[0]
    # Fractions of a cycle are carried on.
    way["operand_path_free"] = max(float(now), way["operand_path_free"]) + max(float(code["interval"]), path)
    sm["lsu_free"] = max(float(now), sm["lsu_free"]) + max(float(code["sm_interval"]), shared)
    sm["arbiter"] = (smsp + 1) % NUM_SMSPS


@rule
def through_shared(m: Model, smsp: int, pc: int, access: int, since_issue: int, now: int) -> int:
    """Shared memory, shuffles and whatever else the LSU does without L1TEX; returns when the result is there."""
    code = m.instructions[pc]
    if access < 0:
        take_lsu(m, smsp, pc, 0.0, 0.0, now)
        return since_issue + code["latency"]
    kind = m.kinds[m.accesses[access]["kind"]]
    conflicts = kind["wavefronts"] - kind["least_wavefronts"]
    if code["is_atomic"]:
        conflicts = max(conflicts, kind["lanes_per_word"] - 1)
    m.sm[0]["events"][SHARED_REQUESTS] += 1
    m.sm[0]["events"][SHARED_WAVEFRONTS] += kind["wavefronts"]
    extra = conflicts * m.params[0]["conflict_interval"]
    wavefronts = kind["least_wavefronts"] + conflicts
    take_lsu(m, smsp, pc, float(code["interval"] + extra), float(wavefronts + code["sm_interval"] - 1), now)
    return since_issue + code["latency"] + extra


@rule
def through_l1tex(m: Model, smsp: int, w: int, pc: int, access: int, since_issue: int, now: int) -> int:
    """Local, global and generic accesses; returns when the last byte is there (stores: taken)."""
    if access < 0 or m.kinds[m.accesses[access]["kind"]]["space"] == SHARED:
        return through_shared(m, smsp, pc, access, since_issue, now)
    code = m.instructions[pc]
    take_lsu(m, smsp, pc, 0.0, 0.0, now)
    start = max(now, m.sm[0]["tag_free"])
    if code["is_atomic"]:
        return since_issue + code["latency"] + atomic(m, w, pc, access, start) - now
    if code["is_store"]:
        store(m, w, access, start)
        m.warps[w]["stores_until"] = max(m.warps[w]["stores_until"], now + m.params[0]["store_latency"])
        return since_issue + code["latency"]
    return since_issue + code["latency"] + load(m, w, access, start) - now


@rule
def places(m: Model, pc: int, access: int) -> int:
    """What an instruction takes of the queue in front of L1: a store, as much as its data."""
    if access < 0 or not m.instructions[pc]["is_store"]:
        return 1
    return min(m.kinds[m.accesses[access]["kind"]]["least_wavefronts"], m.params[0]["store_queue_wavefronts"])
