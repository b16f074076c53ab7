"""L2: what it holds, in two partitions, and how fast it answers all SMs together.

Every line has a partition that is its home. An SM asks the partition that is near; what that one lacks it fetches from
the line's home and keeps. Stores go to the home; lines that were stored to are written back when they are given up, or
when there are too many of them.
Seen on the H100: microbenchmarks ``gpu_bandwidth``.
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.dram import dram_read, dram_write
from smsim.rules.rule import rule
from smsim.state import L2_WAYS, NUM_SIDES

NEIGHBOURS = 32  # lines
L2_SECTORS = int(Event.L2_SECTORS)
L2_MISSES = int(Event.L2_MISSES)


@rule
def l2_read(m: Model, line: int, sector: int, at: int) -> int:
    """When a sector that an SM asks for in cycle ``at`` is in its L1."""
    chip, p, sm = m.chip[0], m.params[0], m.sm[0]
    start = max(float(at), chip["read_free"])
    chip["read_free"] = start + p["l2_read_interval"]
    sm["events"][L2_SECTORS] += 1
    arrives = int(start) + p["miss_latency"]
    place = place_of(m, line, at)
    held = m.l2[place]
    near = 1 << sm["side"]
    if (held["sectors"] >> sector) & 1:
        if held["sides"] & near == 0:
            held["sides"] |= near
            sm["events"][L2_MISSES] += 1
            arrives += p["far_latency"]
        return max(arrives, held["ready"])
    together = ((1 << p["fill_sectors"]) - 1) << (sector // p["fill_sectors"] * p["fill_sectors"])
    missing = together & ~held["sectors"]
    held["sectors"] |= missing
    held["sides"] |= near | 1 << home_of(line)
    count = bits(missing)
    sm["events"][L2_MISSES] += count
    if home_of(line) != sm["side"]:
        arrives += p["far_latency"]
    held["ready"] = max(held["ready"], dram_read(m, line, count, arrives))
    chip["last_ready"] = max(chip["last_ready"], held["ready"])
    return held["ready"]


@rule
def l2_write(m: Model, line: int, sectors: int, at: int) -> None:
    """Sectors (a bit mask) of a line are stored; what L2 cannot take at once holds the SMs' stores back."""
    chip, p = m.chip[0], m.params[0]
    count = bits(sectors)
    chip["write_free"] = max(float(at), chip["write_free"]) + count * p["l2_write_interval"]
    m.sm[0]["events"][L2_SECTORS] += count
    place = place_of(m, line, at)
    held = m.l2[place]
    held["sides"] |= 1 << home_of(line)
    held["sectors"] |= sectors
    was_clean = held["dirty"] == 0
    held["dirty"] |= sectors
    if was_clean:
        clean_oldest(m, place // L2_WAYS, at)


@rule
def place_of(m: Model, line: int, at: int) -> int:
    """Where a line is, as a row of ``l2``; where it was not, the set's least recently used one makes room."""
    chip, p = m.chip[0], m.params[0]
    chip["uses"] += 1
    first = (line ^ line >> 9 ^ line >> 17) % p["l2_sets"] * L2_WAYS
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
    held["sides"] = 0
    held["ready"] = 0
    m.l2_tags[oldest] = line
    m.l2_used[oldest] = chip["uses"]
    return oldest


@rule
def clean_oldest(m: Model, number: int, at: int) -> None:
    """A set with too many lines to be written back writes the oldest of them."""
    dirty, oldest = 0, -1
    for place in range(number * L2_WAYS, (number + 1) * L2_WAYS):
        if m.l2[place]["dirty"] != 0:
            dirty += 1
            if oldest < 0 or m.l2_used[place] < m.l2_used[oldest]:
                oldest = place
    if dirty > m.params[0]["l2_dirty_ways"]:
        write_back(m, oldest, at)


@rule
def write_back(m: Model, place: int, at: int) -> None:
    """Write a line's stored sectors to DRAM, which stores have to wait for when it has much to do."""
    held = m.l2[place]
    if held["dirty"] != 0:
        chip = m.chip[0]
        dram_write(m, bits(held["dirty"]), at)
        chip["write_free"] = max(chip["write_free"], chip["dram_free"] - m.params[0]["dram_latency"])
        held["dirty"] = 0


@rule
def home_of(line: int) -> int:
    """The partition that is a line's home: the same for neighbours, whose loads are as fast as one alone."""
    page = line // NEIGHBOURS
    return (page ^ page >> 1 ^ page >> 4 ^ page >> 7 ^ page >> 11 ^ page >> 16) % NUM_SIDES


@rule
def bits(mask: int) -> int:
    """How many bits of a set of sectors are set."""
    count = 0
    while mask != 0:
        mask &= mask - 1
        count += 1
    return count
