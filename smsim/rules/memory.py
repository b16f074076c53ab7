"""L1TEX: what a local or global access does once the LSU has it, and when its data is there."""

from isa.trace.model import Space
from smsim.model import Model
from smsim.rules.atomics import atomic
from smsim.rules.loads import load
from smsim.rules.rule import rule
from smsim.rules.stores import store
from smsim.state import NEVER, NUM_BARRIERS

SHARED = int(Space.SHARED)


@rule
def through_l1tex(m: Model, smsp: int, w: int, pc: int, access: int, since_issue: int, now: int) -> int:
    """A local or global access that enters the LSU now; returns when the last byte is there (stores: taken).

    NEVER stands for what waits for L2.
    """
    code, warp, p = m.instructions[pc], m.warps[w], m.params[0]
    m.sm[0]["lsu_free"] = now + code["sm_interval"]
    start = max(now, m.sm[0]["tag_free"])
    # Behind a store that waits for a cycle without data from L2 only another one goes on, while there is a row for it.
    held = m.sm[0]["held_until"]
    start = max(start, min(held[0], held[1]) if code["is_store"] else max(held[0], held[1]))
    done = since_issue + code["latency"]
    # Other latencies count from when it left its queue.
    left = since_issue + code["queue_latency"]
    if code["is_atomic"]:
        gone, answered = atomic(m, w, pc, access, start, done - now)
        if code["is_store"]:
            # A reduction: its warp does not wait for the answer, its block does.
            block = m.blocks[warp["block_slot"]]
            warp["sent_until"] = max(warp["sent_until"], left + gone - now + p["store_latency"])
            block["answered"] = max(block["answered"], left + answered - now + p["miss_latency"])
            return done
        return NEVER if answered == NEVER else done + answered - now
    if code["is_store"]:
        waits = store(m, w, access, start) - now
        warp["stores_until"] = max(warp["stores_until"], left + p["store_latency"])
        warp["sent_until"] = max(warp["sent_until"], left + waits + p["store_latency"])
        return done
    m.sm[0]["awaits_dram"] = 0
    begins = load(m, w, pc, access, start, done - now)
    if m.sm[0]["awaits_dram"] and code["write_barrier"] < NUM_BARRIERS:
        warp["sb_stored"][code["write_barrier"]] = m.chip[0]["stored"]
    return NEVER if begins == NEVER else done + begins - now


@rule
def places(m: Model, pc: int, access: int) -> int:
    """What an instruction takes of the queue in front of L1: a store to L1TEX, as much as its data."""
    if access < 0 or not m.instructions[pc]["is_store"]:
        return 1
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] == SHARED:
        return 1
    return min(kind["least_wavefronts"], m.params[0]["store_queue_wavefronts"])
