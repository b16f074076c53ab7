"""Loads through L1: those that hit pass those that wait for L2; these come back in order, and make their passes then.

Seen on the H100: microbenchmarks ``scattered``, ``fills``, ``l1`` and ``memory``.
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.l1 import count, fetch_sector, find_sector, let_overtake, line_of, look_up, take_queue
from smsim.rules.l1_data import data_free
from smsim.rules.port import in_order, leave_for_l2
from smsim.rules.rule import rule
from smsim.state import NUM_SLICES

L2_READ_REQUESTS = int(Event.L2_READ_REQUESTS)


@rule
def load(m: Model, w: int, access: int, start: int) -> int:
    """A load whose tags are looked up from ``start`` on; returns when one that hits, alone, would have begun."""
    sm, warp, p = m.sm[0], m.warps[w], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    take_queue(m, 1, start)
    let_overtake(m, 1, start)
    tags, there, sectors, hits = start, 0, 0, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        at = look_up(m, line, start)
        tags = max(tags, at)
        missing = 0
        for sector in range(len(m.touches[touch]["bytes"])):
            if m.touches[touch]["bytes"][sector] != 0:
                sectors += 1
                ready, hit = find_sector(m, line, sector, m.touches[touch]["bytes"][sector], at)
                hits += hit
                missing += not hit
                there = max(there, ready)
        if missing > 0:
            at = leave_for_l2(m, 1, at)
            sm["events"][L2_READ_REQUESTS] += 1
            for sector in range(len(m.touches[touch]["bytes"])):
                if m.touches[touch]["bytes"][sector] != 0:
                    wanted = m.touches[touch]["bytes"][sector]
                    there = max(there, fetch_sector(m, line, sector, wanted, missing, kind["apart"] != 0, at))
    count(m, kind["space"], False, sectors, hits)
    looks = (kind["end_touch"] - kind["first_touch"] + NUM_SLICES - 1) // NUM_SLICES
    begins = max(tags, data_free(m, kind["banks"]))
    if there > tags:
        # As many requests as store lines wait for the port.
        waits = int(sm["store_port_free"]) - p["store_queue_lines"] if hits < sectors else 0
        sm["tag_free"] = max(start + looks, begins, waits)
        sm["load_data_free"] = begins + kind["wavefronts"]
        return in_order(m, there, max(looks, kind["wavefronts"])) + kind["wavefronts"] - kind["least_wavefronts"]
    sm["tag_free"] = max(start + looks, begins)
    sm["load_data_free"] = begins + kind["wavefronts"]
    begins = max(begins, warp["loading_until"])
    warp["loading_until"] = begins + kind["wavefronts"] * p["conflict_interval"]
    return begins + (kind["wavefronts"] - kind["least_wavefronts"]) * p["conflict_interval"]
