"""L2: what it holds, in two partitions, and how fast it answers all SMs together.

Every line has a partition that is its home. An SM asks the partition that is near; what that one lacks it fetches over
the link from the line's home and keeps. Stores go to the home; lines that were stored to are written back when they
are given up, or when there are too many of them.
Seen on the H100: microbenchmarks ``gpu_bandwidth``.
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.dram import dram_read, dram_write
from smsim.rules.hashing import NEIGHBOURS, spread
from smsim.rules.rule import rule
from smsim.rules.servers import admit, crowding
from smsim.state import L2_FILLS, L2_LOADS, L2_STORES, L2_WAYS, LINK, NUM_SIDES

L2_SECTORS = int(Event.L2_SECTORS)
L2_MISSES = int(Event.L2_MISSES)


@rule
def l2_read(m: Model, line: int, sector: int, together: int, at: int) -> int:
    """When a sector that an SM asks for in cycle ``at``, so many of the line ``together``, is in its L1."""
    chip, p, sm = m.chip[0], m.params[0], m.sm[0]
    takes = max(p["l2_read_interval"], p["l2_request_interval"] / together)
    start = admit(m, L2_LOADS, takes, at)
    sm["events"][L2_SECTORS] += 1
    arrives = start + p["miss_latency"] + crowding(m, L2_LOADS, takes, p["l2_service"], at)
    place = place_of(m, line, at)
    held = m.l2[place]
    if (held["sectors"] >> sector) & 1:
        if (held["copies"][sm["side"]] >> sector) & 1 == 0:
            held["copies"][sm["side"]] |= 1 << sector
            sm["events"][L2_MISSES] += 1
            arrives = max(arrives, cross(m, 1, at))
        return max(arrives, held["ready"])
    together = ((1 << p["fill_sectors"]) - 1) << (sector // p["fill_sectors"] * p["fill_sectors"])
    missing = together & ~held["sectors"]
    held["sectors"] |= missing
    held["copies"][sm["side"]] |= missing
    held["copies"][home_of(line)] |= missing
    count = bits(missing)
    sm["events"][L2_MISSES] += count
    arrives = max(arrives, admit(m, L2_FILLS, count * p["l2_write_interval"], at) + p["miss_latency"])
    if home_of(line) != sm["side"]:
        arrives += p["far_latency"]
    held["ready"] = max(held["ready"], dram_read(m, line, count, start, arrives))
    chip["last_ready"] = max(chip["last_ready"], held["ready"])
    return held["ready"]


@rule
def l2_write(m: Model, line: int, sectors: int, count: int, packets: int, at: int) -> int:
    """Sectors (a bit mask) of a line are stored, so many in all and in so many packets; returns when L2 takes them."""
    takes = packets * m.params[0]["l2_write_interval"]
    admit(m, LINK, takes, at)
    admit(m, L2_FILLS, takes, at)
    taken = admit(m, L2_STORES, takes, at)
    m.sm[0]["events"][L2_SECTORS] += count
    place = place_of(m, line, at)
    held = m.l2[place]
    held["copies"][home_of(line)] |= sectors
    held["sectors"] |= sectors
    return max(taken, store(m, place, sectors, at))


@rule
def store(m: Model, place: int, sectors: int, at: int) -> int:
    """Sectors of a line have to be written back at some time; returns when there is room for them."""
    held = m.l2[place]
    was_clean = held["dirty"] == 0
    held["dirty"] |= sectors
    return clean_oldest(m, place // L2_WAYS, at) if was_clean else at


@rule
def place_of(m: Model, line: int, at: int) -> int:
    """Where a line is, as a row of ``l2``; where it was not, the set's least recently used one makes room."""
    chip, p = m.chip[0], m.params[0]
    chip["uses"] += 1
    first = spread(line, p["l2_sets"]) * L2_WAYS
    for place in range(first, first + L2_WAYS):
        if m.l2_tags[place] == line:
            m.l2_used[place] = chip["uses"]
            return place
    oldest = first
    for place in range(first, first + L2_WAYS):
        if m.l2_used[place] < m.l2_used[oldest]:
            oldest = place
    write_back(m, oldest, at)
    held = m.l2[oldest]
    held["sectors"] = 0
    held["copies"][:] = 0
    held["ready"] = 0
    m.l2_tags[oldest] = line
    m.l2_used[oldest] = chip["uses"]
    return oldest


@rule
def clean_oldest(m: Model, number: int, at: int) -> int:
    """A set with too many lines to be written back writes the oldest of them; returns when that is on its way."""
    dirty, oldest = 0, -1
    for place in range(number * L2_WAYS, (number + 1) * L2_WAYS):
        if m.l2[place]["dirty"] != 0:
            dirty += 1
            if oldest < 0 or m.l2_used[place] < m.l2_used[oldest]:
                oldest = place
    return write_back(m, oldest, at) if dirty > m.params[0]["l2_dirty_ways"] else at


@rule
def write_back(m: Model, place: int, at: int) -> int:
    """Write a line's stored sectors to DRAM; returns when they are on their way, late when it has much to do."""
    held = m.l2[place]
    if held["dirty"] == 0:
        return at
    leaves = dram_write(m, bits(held["dirty"]), at) - m.params[0]["dram_latency"]
    held["dirty"] = 0
    return max(at, leaves)


@rule
def cross(m: Model, sectors: int, at: int) -> int:
    """Load sectors from the far partition; returns when they are in the SM. Of stores only every other one crosses."""
    p = m.params[0]
    return admit(m, LINK, sectors * NUM_SIDES * p["l2_write_interval"], at) + p["miss_latency"] + p["far_latency"]


@rule
def home_of(line: int) -> int:
    """The partition that is a line's home: the same for neighbours, whose loads are as fast as one alone."""
    return spread(line // NEIGHBOURS, NUM_SIDES)


@rule
def sectors_of(m: Model, touch: int) -> int:
    """The sectors (a bit mask) of a touched line."""
    sectors = 0
    for sector in range(len(m.touches[touch]["bytes"])):
        sectors |= (m.touches[touch]["bytes"][sector] != 0) << sector
    return sectors


@rule
def bits(mask: int) -> int:
    """How many bits of a set of sectors are set."""
    count = 0
    while mask != 0:
        mask &= mask - 1
        count += 1
    return count
