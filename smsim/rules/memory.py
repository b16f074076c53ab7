"""Shared memory and L1TEX: what a queued access does once the LSU has it, and when its data is there."""

from isa.trace.model import Space
from smsim.events import Event
from smsim.model import Model
from smsim.rules.l1 import look_up, set_of, take_queue, way_of
from smsim.rules.rule import rule
from smsim.rules.stores import gather, leave_for_l2
from smsim.state import FIRST_LOCAL_LINE, NUM_BARRIERS, NUM_SLICES, NUM_SMSPS

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
DRAM_SECTORS = int(Event.DRAM_SECTORS)


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
    kind = m.kinds[m.accesses[access]["kind"]]
    if access < 0 or kind["space"] == SHARED:
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


@rule
def line_of(m: Model, w: int, access: int, touch: int) -> int:
    """The number of a line that an access touches; a warp's local memory has numbers of its own."""
    line = m.accesses[access]["line"] + m.touches[touch]["delta"]
    if m.kinds[m.accesses[access]["kind"]]["space"] == LOCAL:
        line += (m.warps[w]["trace_warp"] + 1) * FIRST_LOCAL_LINE
    return line


@rule
def load(m: Model, w: int, access: int, start: int) -> int:
    """A load whose tags are looked up from ``start`` on; returns when L1 would have begun, had it been alone and a hit."""
    sm, warp, p = m.sm[0], m.warps[w], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    take_queue(m, 1, start)
    tags, there, sectors, hits = start, 0, 0, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        at = look_up(m, line, start)
        tags = max(tags, at)
        missing = 0
        for sector in range(len(m.touches[touch]["bytes"])):
            if m.touches[touch]["bytes"][sector] != 0:
                sectors += 1
                ready, hit = find_sector(m, line, sector, at)
                hits += hit
                missing += not hit
                there = max(there, ready)
        if missing > 0:
            at = leave_for_l2(m, 1, at)
            for sector in range(len(m.touches[touch]["bytes"])):
                if m.touches[touch]["bytes"][sector] != 0:
                    there = max(there, fetch_sector(m, line, sector, at))
    count(m, kind["space"], False, sectors, hits)
    begins = max(tags, sm["load_data_free"])
    lines = kind["end_touch"] - kind["first_touch"]
    # As many requests as store lines wait for the port.
    waits = int(sm["store_port_free"]) - p["store_queue_lines"] if hits < sectors else 0
    sm["tag_free"] = max(start + (lines + NUM_SLICES - 1) // NUM_SLICES, begins, waits)
    sm["load_data_free"] = begins + kind["wavefronts"]
    begins = max(begins, warp["data_free"])
    warp["data_free"] = begins + kind["wavefronts"] * p["conflict_interval"]
    if there > begins:
        begins = max(there, sm["fill_free"])
        sm["fill_free"] = begins + max((lines + NUM_SLICES - 1) // NUM_SLICES, kind["wavefronts"])
        return begins
    return begins + (kind["wavefronts"] - kind["least_wavefronts"]) * p["conflict_interval"]


@rule
def store(m: Model, w: int, access: int, start: int) -> None:
    """A store gives its lines to those that gather stores, a line of global memory a cycle; local ones stay in L1."""
    warp, p = m.warps[w], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    is_local = kind["space"] == LOCAL
    at, sectors, in_part = start, 0, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        at = gather(m, line, touch, max(at, look_up(m, line, start)))
        partly = 0
        for sector in range(len(m.touches[touch]["bytes"])):
            written = m.touches[touch]["bytes"][sector]
            if written != 0:
                sectors += 1
                whole = written == p["sector_mask"]
                partly |= not whole
                update(m, line, sector, is_local or (whole and kind["least_wavefronts"] >= 4), at)
        in_part += partly
        if not is_local:
            at += 1
    m.sm[0]["tag_free"] = max(at, start + 1)
    take_queue(m, kind["least_wavefronts"], at)
    sent = max(float(at), m.sm[0]["store_port_free"], start + (sectors + in_part) * p["store_packet_interval"])
    warp["sent_until"] = max(warp["sent_until"], int(sent) + p["store_latency"])
    count(m, kind["space"], True, sectors, 0)


@rule
def atomic(m: Model, w: int, pc: int, access: int, start: int) -> int:
    """An atomic's packets to L2 and, where it returns something, its answers; returns when it would have begun, alone."""
    sm, p = m.sm[0], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    sectors, way = 0, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        way = max(way, p["miss_spread"] // 2 + detour(m, line) + far_home(line) * p["far_atomic"])
        for sector in range(len(m.touches[touch]["bytes"])):
            sectors += m.touches[touch]["bytes"][sector] != 0
    packets = kind["atomic_packets"]
    if m.instructions[pc]["write_barrier"] < NUM_BARRIERS:
        packets = max(packets, int(p["same_address"] * kind["lane_wavefronts"]))
    leaves = leave_for_l2(m, packets, start)
    sm["tag_free"] = max(start + 1, leaves)
    take_queue(m, 1, leaves)
    sm["events"][L2_WRITE_SECTORS] += sectors
    count(m, kind["space"], True, sectors, 0)
    done = leaves + packets - len(m.l1[0, 0]["ready"]) - 1 + way
    m.warps[w]["sent_until"] = max(m.warps[w]["sent_until"], done + p["miss_latency"])
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
def find_sector(m: Model, line: int, sector: int, at: int) -> tuple[int, bool]:
    """When L1 has the sector, -1 if it is not even on its way; and whether it is, or is there."""
    ready = m.l1[set_of(m, line), way_of(m, line, at)]["ready"][sector]
    return ready, ready >= 0


@rule
def fetch_sector(m: Model, line: int, sector: int, at: int) -> int:
    """Ask L2 for a sector that L1 has not; returns when it is there."""
    ready = m.l1[set_of(m, line), way_of(m, line, at)]["ready"]
    if ready[sector] < 0:
        m.sm[0]["events"][L2_READ_SECTORS] += 1
        ready[sector] = send(m, at) + m.params[0]["miss_latency"] + detour(m, line) + beyond_l2(m, line, sector)
    return ready[sector]


@rule
def detour(m: Model, line: int) -> int:
    """How much longer than the mean the way to the part of L2 is that has the line, which address bits hash to."""
    pair = (line >> 1 ^ line >> 9 ^ line >> 17) & 0xFFFF
    mixed = pair * 40503 & 0xFFFF
    return (mixed * m.params[0]["miss_spread"] >> 16) - m.params[0]["miss_spread"] // 2


@rule
def update(m: Model, line: int, sector: int, whole: bool, at: int) -> None:
    """L1 keeps a sector that a store wrote as a whole; one that a load waits for does not stay."""
    ready = m.l1[set_of(m, line), way_of(m, line, at)]["ready"]
    if ready[sector] > at:
        ready[sector] = -1
    elif whole:
        ready[sector] = at


@rule
def far_home(line: int) -> int:
    """Whether a line's home, where atomics are done, is the far half of L2 (0 or 1): it changes from page to page."""
    page = line >> 5
    page ^= page >> 8
    page ^= page >> 4
    return (page >> 2 ^ page >> 1 ^ page) & 1


@rule
def beyond_l2(m: Model, line: int, sector: int) -> int:
    """Extra cycles for a sector that L2 does not hold: when the caches start cold, the first touch of each."""
    low, high = 0, len(m.l2)
    while low < high:
        middle = (low + high) // 2
        if m.l2[middle]["line"] < line:
            low = middle + 1
        else:
            high = middle
    if low == len(m.l2) or m.l2[low]["line"] != line or m.l2[low]["present"][sector]:
        return 0
    m.l2[low]["present"][sector] = 1
    m.sm[0]["events"][DRAM_SECTORS] += 1
    return m.params[0]["dram_latency"]
