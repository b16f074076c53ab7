"""Atomics on global memory: in packets through the port to L2, done at the line's home there.

Seen on the H100: microbenchmarks ``atomics`` and ``collisions``.
"""

from smsim.description.checks import MOST_ATOMIC_PACKETS
from smsim.events import Event
from smsim.model import Model
from smsim.rules.data_stage import await_data, await_quiet
from smsim.rules.hashing import home_of
from smsim.rules.l1 import give_up, let_overtake, line_of, take_queue
from smsim.rules.l2 import l2_update, sectors_of
from smsim.rules.l2_atomics import l2_atomic
from smsim.rules.lookup import holds
from smsim.rules.port import detour, leave_for_l2
from smsim.rules.rule import rule
from smsim.rules.stores import send_before
from smsim.state import NEVER, NUM_BARRIERS

L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)
WIDE_ANSWER = 3  # cycles that an answer of several words takes, those of one word take one


@rule
def atomic(m: Model, w: int, pc: int, access: int, start: int, late: int) -> tuple[int, int]:
    """An atomic's packets to L2 and what comes back, which is the warp's ``late`` cycles behind its first pass.

    Returns when the last packet has left, and when an atomic with the table's latency would have begun, NEVER for one
    that waits for its answer.
    """
    sm, p, code = m.sm[0], m.params[0], m.instructions[pc]
    kind = m.kinds[m.accesses[access]["kind"]]
    way = 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        way = max(way, p["miss_spread"] // 2 + detour(m, line) + (home_of(line) != sm["side"]) * p["far_atomic"])
    packets = kind["atomic_packets"]
    if code["write_barrier"] < NUM_BARRIERS:
        answered = kind["atomic_answers"] + (WIDE_ANSWER - 1) * kind["wide_answers"]
        packets = max(packets, answered, int(p["same_address"] * kind["atomic_wavefronts"]))
    start = await_quiet(m, start, start)
    send_before(m, start)
    leaves = leave_for_l2(m, packets, start)
    sm["tag_free"] = max(start + 1, leaves)
    take_queue(m, 1, leaves)
    let_overtake(m, 1, leaves)
    done = leaves + packets - len(m.l1[0, 0]["ready"]) - 1
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line, sectors = line_of(m, w, access, touch), m.touches[touch]["atomic_sectors"]
        sm["events"][L2_WRITE_SECTORS] += sectors
        give_up(m, line, touch)
        taken, ready = l2_update(m, line, sectors_of(m, touch), sectors, leaves)
        addressed = m.touches[touch]["atomic_packets"]
        begins, last = l2_atomic(m, line, sectors, addressed, kind["lanes_per_word"], pc, leaves)
        last = max(last, ready)
        may_wait = p["own_atomic_packets"]
        if holds(m.shared, line):
            may_wait = p["atomic_packets"]
            if code["is_store"]:
                begins, last = seen(m, begins, leaves), seen(m, last, leaves)
                sm["rid_until"] = max(sm["rid_until"], last)
        free = wait_for_l2(m, addressed, begins, may_wait)
        sm["store_port_free"] = max(sm["store_port_free"], float(max(taken, free)))
        done = max(done, last)
    if code["is_store"]:
        sm["rid_until"] = max(sm["rid_until"], int(sm["store_port_free"]))
    if code["is_store"] or code["write_barrier"] >= NUM_BARRIERS:
        return leaves + packets, done + way
    # No line of L1 is written with what comes back.
    await_data(m, w, pc, done + way + p["miss_latency"], 0, packets, packets, late - p["miss_latency"])
    return leaves + packets, NEVER


@rule
def seen(m: Model, at: int, leaves: int) -> int:
    """When an SM is rid of a reduction of all SMs that left then, and with which L2 begins ``at``: before that."""
    return leaves + int(m.params[0]["reduction_share"] * (at - leaves))


@rule
def wait_for_l2(m: Model, packets: int, begins: int, may_wait: int) -> int:
    """Of an atomic, so many packets wait until L2 ``begins`` with them; returns when the port need not wait for any.

    It waits when more than ``may_wait`` do.
    """
    sm = m.sm[0]
    free = 0
    for _ in range(packets):
        head = sm["atomics_head"]
        free = max(free, sm["atomics"][(head - may_wait) % MOST_ATOMIC_PACKETS])
        sm["atomics"][head] = begins
        sm["atomics_head"] = (head + 1) % MOST_ATOMIC_PACKETS
    return free
