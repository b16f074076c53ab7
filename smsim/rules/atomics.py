"""Atomics on global memory: in packets through the port to L2, done at the line's home there.

Seen on the H100: microbenchmarks ``atomics``.
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.l1 import count, line_of, take_queue
from smsim.rules.l2 import home_of, l2_atomic, l2_write, sectors_of
from smsim.rules.port import detour, leave_for_l2
from smsim.rules.rule import rule
from smsim.state import NUM_BARRIERS

L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)


@rule
def atomic(m: Model, w: int, pc: int, access: int, start: int) -> int:
    """An atomic's packets to L2 and what comes back; returns when one with the table's latency would have begun."""
    sm, p, code = m.sm[0], m.params[0], m.instructions[pc]
    kind = m.kinds[m.accesses[access]["kind"]]
    sectors, way = 0, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        way = max(way, p["miss_spread"] // 2 + detour(m, line) + (home_of(line) != sm["side"]) * p["far_atomic"])
        for sector in range(len(m.touches[touch]["bytes"])):
            sectors += m.touches[touch]["bytes"][sector] != 0
    packets = kind["atomic_packets"]
    if code["write_barrier"] < NUM_BARRIERS:
        packets = max(packets, int(p["same_address"] * kind["atomic_wavefronts"]))
    leaves = leave_for_l2(m, packets, start)
    sm["tag_free"] = max(start + 1, leaves)
    take_queue(m, 1, leaves)
    sm["events"][L2_WRITE_SECTORS] += sectors
    count(m, kind["space"], True, sectors, 0)
    done = leaves + packets - len(m.l1[0, 0]["ready"]) - 1
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        done = max(done, l2_atomic(m, line, kind["lanes_per_word"], code["is_float"], leaves))
        if code["is_store"]:
            l2_write(m, line, sectors_of(m, touch), leaves)
    return done + way
