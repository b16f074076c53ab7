"""L1TEX: what a local or global access does once the LSU has it, and when its data is there."""

from isa.trace.model import Space
from smsim.model import Model
from smsim.rules.atomics import atomic
from smsim.rules.certain_hits import look_up_certain
from smsim.rules.data_path import stores_through_l1
from smsim.rules.data_stage import may_wait
from smsim.rules.l1 import let_overtake, take_queue, wait_for_tags
from smsim.rules.loads import load
from smsim.rules.queues import finish
from smsim.rules.returns import behind_returns
from smsim.rules.rule import entry, rule
from smsim.rules.scoreboard import note_stored
from smsim.rules.shared import is_crowded
from smsim.rules.stores import places as store_places
from smsim.rules.stores import share, store
from smsim.state.sizes import MAX_L1_QUEUE, NEVER, NUM_BARRIERS

SHARED = int(Space.SHARED)


@entry
def is_l1tex_busy(m: Model) -> bool:
    """Whether a local or global access is on its way to L1TEX, waits there for its tags, or for data from L2."""
    sm = m.sm[0]
    return sm["l1tex_count"] + sm["l1_waiting"] + sm["fills"] > 0


@rule
def enter_l1tex(m: Model, w: int, pc: int, access: int, since_issue: int, now: int) -> None:
    """A local or global access enters the LSU, and waits for its tags."""
    is_store = stores_through_l1(m, pc)
    # A store's data has passed by then.
    m.sm[0]["lsu_free"] = now + (1 if is_store else m.instructions[pc]["sm_interval"])
    units = share(m, m.kinds[m.accesses[access]["kind"]]) if is_store else 1
    wait_for_tags(m, w, pc, access, since_issue, places(m, pc, access), units, now)


@rule
def serve_tags(m: Model, now: int) -> int:
    """Look up the tags of what waits for it, in its order; returns when the next may go."""
    sm = m.sm[0]
    while sm["l1_waiting"] > 0:
        first = m.l1_queue[sm["l1_waiting_head"]]
        start = max(first["came"], sm["tag_free"])
        # Behind a store that waits for a cycle without data from L2 only another goes on, while there is a row for it.
        held, is_store = sm["held_until"], m.instructions[first["pc"]]["is_store"]
        start = max(start, min(held[0], held[1]) if is_store else max(held[0], held[1]))
        if start > now:
            return start
        if not may_wait(m) or (not sm["l1_turn"] and is_crowded(m, now)):
            return NEVER
        sm["l1_turn"] = 0
        sm["l1_waiting"] -= 1
        look_up_certain(m, first["certainty"])
        # Where nothing waits, the ring begins anew: so it lies in few lines of the host's caches.
        sm["l1_waiting_head"] = (sm["l1_waiting_head"] + 1) % MAX_L1_QUEUE if sm["l1_waiting"] > 0 else 0
        done = through_l1tex(m, first["warp"], first["pc"], first["access"], first["issued"], start, first["came"])
        if done < NEVER:
            finish(m, first["warp"], first["pc"], done, now)
    return NEVER


@rule
def through_l1tex(m: Model, w: int, pc: int, access: int, since_issue: int, start: int, now: int) -> int:
    """A local or global access that came ``now`` has its tags looked up from ``start`` on.

    Returns when the last byte is there (stores: taken). NEVER stands for what waits for L2.
    """
    code, warp, p = m.instructions[pc], m.warps[w], m.params[0]
    done = since_issue + code["latency"]
    if code["ends_group"]:
        take_queue(m, 1, start)
        let_overtake(m, 1, start)
        return done + start - now
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
        waits = store(m, w, pc, access, start) - now
        warp["sent_until"] = max(warp["sent_until"], left + waits + p["store_latency"])
        return done
    m.sm[0]["awaits_dram"] = m.sm[0]["crosses"] = 0
    begins = load(m, w, pc, access, start, done - now)
    if code["write_barrier"] < NUM_BARRIERS:
        note_stored(m, w, code["write_barrier"])
    return NEVER if begins == NEVER else behind_returns(m, done + begins - now, code["words"])


@rule
def places(m: Model, pc: int, access: int) -> int:
    """What an instruction takes of the queue in front of L1: a store to L1TEX, as much as its data."""
    if access < 0 or not m.instructions[pc]["is_store"]:
        return 1
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] == SHARED:
        return 1
    return 1 if m.instructions[pc]["is_atomic"] else store_places(m, kind)
