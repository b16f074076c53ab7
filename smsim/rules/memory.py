"""Shared memory and L1TEX: what a queued access does once the LSU has it, and when its data is there."""

import numpy as np

from isa.trace.model import Space
from smsim.events import Event
from smsim.model import Model
from smsim.rules.l2 import l2_atomic, l2_read, l2_write
from smsim.rules.rule import rule
from smsim.state import L2_STORES, NUM_SMSPS

SHARED = int(Space.SHARED)
LOCAL = int(Space.LOCAL)
GLOBAL_LOAD_REQUESTS = int(Event.GLOBAL_LOAD_REQUESTS)
GLOBAL_LOAD_SECTORS = int(Event.GLOBAL_LOAD_SECTORS)
GLOBAL_LOAD_HITS = int(Event.GLOBAL_LOAD_HITS)
GLOBAL_STORE_REQUESTS = int(Event.GLOBAL_STORE_REQUESTS)
GLOBAL_STORE_SECTORS = int(Event.GLOBAL_STORE_SECTORS)
LOCAL_LOAD_SECTORS = int(Event.LOCAL_LOAD_SECTORS)
LOCAL_STORE_SECTORS = int(Event.LOCAL_STORE_SECTORS)
SHARED_REQUESTS = int(Event.SHARED_REQUESTS)
SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)
L2_READ_SECTORS = int(Event.L2_READ_SECTORS)
L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)


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
    p = m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    space = kind["space"]
    if space == SHARED:
        return through_shared(m, smsp, pc, access, since_issue, now)
    code = m.instructions[pc]
    first, lines = kind["first_touch"], kind["end_touch"] - kind["first_touch"]
    start = max(float(now), m.smsps[smsp]["tag_free"], m.sm[0]["tag_free"])
    done = since_issue + code["latency"]
    if code["is_atomic"]:
        done += int((p["same_address"] - p["atomic_interval"]) * (kind["lanes_per_word"] - 1))
    sectors = 0
    hits = 0
    for i in range(lines):
        at = int(start + i * p["line_latency"])
        line = m.accesses[access]["line"] + m.touches[first + i]["delta"]
        if space == LOCAL:
            line |= (m.warps[w]["trace_warp"] + 1) << 40
        if code["is_atomic"]:
            finished = l2_atomic(m, line, kind["lanes_per_word"], code["is_float"], at)
            m.warps[w]["stores_until"] = max(m.warps[w]["stores_until"], finished + p["miss_latency"])
            done = max(done, finished - now + since_issue + code["latency"])
        if code["is_store"] and space != LOCAL:
            l2_write(m, line, m.touches[first + i]["sectors"], at)
        for sector in range(len(m.l1[0, 0]["ready"])):
            if (m.touches[first + i]["sectors"] >> sector) & 1:
                sectors += 1
                if code["is_atomic"]:
                    done = max(done, send(m, at) - now + since_issue + code["latency"])
                elif code["is_store"]:
                    if space == LOCAL:
                        store_local(m, line, sector, at)
                else:
                    ready, hit = load_sector(m, line, sector, at)
                    hits += hit
                    done = max(done, ready - now + since_issue + code["latency"])
    if code["is_store"] and space != LOCAL:
        leave_for_l2(m, w, kind, sectors, int(start))
    tags = lines
    shared = float(kind["wavefronts"] + code["sm_interval"] - 1)
    if code["is_store"]:
        # A store's data goes with it: it keeps the way to the LSU until its last line and sector are through.
        take_lsu(m, smsp, pc, store_backlog(m, kind, now), shared, now)
    else:
        take_lsu(m, smsp, pc, 0.0, shared, now)
        if hits < sectors:
            tags = max(tags, p["miss_interval"])
    m.smsps[smsp]["tag_free"] = max(float(now), m.smsps[smsp]["tag_free"]) + tags * p["smsp_line_interval"]
    m.sm[0]["tag_free"] = max(float(now), m.sm[0]["tag_free"]) + float(tags)
    count(m, space, code["is_store"], sectors, hits)
    return done


@rule
def count(m: Model, space: int, is_store: bool, sectors: int, hits: int) -> None:
    """Book an access under its counters."""
    events = m.sm[0]["events"]
    if space == LOCAL:
        events[LOCAL_STORE_SECTORS if is_store else LOCAL_LOAD_SECTORS] += sectors
    elif is_store:
        events[GLOBAL_STORE_REQUESTS] += 1
        events[GLOBAL_STORE_SECTORS] += sectors
    else:
        events[GLOBAL_LOAD_REQUESTS] += 1
        events[GLOBAL_LOAD_SECTORS] += sectors
        events[GLOBAL_LOAD_HITS] += hits


@rule
def send(m: Model, at: int) -> int:
    """One sector through the SM's port to L2; returns when it leaves."""
    sm = m.sm[0]
    leaves = max(float(at), sm["l2_port_free"])
    sm["l2_port_free"] = leaves + m.params[0]["sector_interval"]
    return int(leaves)


@rule
def way_of(m: Model, line: int, now: int) -> int:
    """The way of its set that holds the line; the least recently used one makes room where none does."""
    ways = m.l1[line % m.params[0]["l1_sets"]]
    oldest = 0
    for way in range(len(ways)):
        if ways[way]["tag"] == line:
            ways[way]["used"] = now
            return way
        if ways[way]["used"] < ways[oldest]["used"]:
            oldest = way
    ways[oldest]["tag"] = line
    ways[oldest]["used"] = now
    ways[oldest]["ready"][:] = -1
    return oldest


@rule
def load_sector(m: Model, line: int, sector: int, at: int) -> tuple[int, bool]:
    """When the sector is in L1, and whether it was there or on its way."""
    way = way_of(m, line, at)
    ready = m.l1[line % m.params[0]["l1_sets"], way]["ready"]
    hit = ready[sector] >= 0
    if not hit:
        m.sm[0]["events"][L2_READ_SECTORS] += 1
        ready[sector] = l2_read(m, line, sector, send(m, at))
    return max(at, ready[sector]), hit


@rule
def store_local(m: Model, line: int, sector: int, at: int) -> None:
    """A local store stays in L1; a global one only goes to L2."""
    way = way_of(m, line, at)
    m.l1[line % m.params[0]["l1_sets"], way]["ready"][sector] = at


@rule
def leave_for_l2(m: Model, w: int, kind: np.void, sectors: int, at: int) -> None:
    """A store or reduction goes to L2 behind those in the SM's queue; once there, it no longer holds its warp."""
    sm = m.sm[0]
    sm["events"][L2_WRITE_SECTORS] += sectors
    takes = kind["packets"] * m.params[0]["store_packet_interval"]
    sm["store_port_free"] = max(max(float(at), sm["store_port_free"]) + takes, m.servers[L2_STORES]["free"])
    leaves = at + int(store_backlog(m, kind, at)) + m.params[0]["store_latency"]
    m.warps[w]["stores_until"] = max(m.warps[w]["stores_until"], leaves)


@rule
def store_backlog(m: Model, kind: np.void, now: int) -> float:
    """Cycles until the queue in front of the port to L2 has taken all stores so far.

    It holds the data of so many wavefronts, and behind it so many lines wait for the port. Stores of one kind seldom
    mix, so those that wait are taken to be as the one at hand.
    """
    p = m.params[0]
    lines = max(1, kind["end_touch"] - kind["first_touch"])
    stores = p["store_queue_wavefronts"] / kind["least_wavefronts"] + p["store_queue_lines"] / lines
    queued = stores * kind["packets"] * p["store_packet_interval"]
    return max(0.0, m.sm[0]["store_port_free"] - now - queued)
