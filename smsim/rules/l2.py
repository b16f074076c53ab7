"""L2: what it holds, in two partitions, and how fast it answers all SMs together.

Every line has a partition that is its home. An SM asks the partition that is near; what that one lacks it fetches over
the link from the line's home and keeps. Stores go to the home, and the partition near the SM keeps them, too. So lines
whose home is far take room twice, until one of the two gives them up. Lines that were stored to are written back when
they are given up, or when there are too many of them. What DRAM brings is written into L2 when it comes, at the pace of
stores, which go first: a load of it waits for the stores that come before it is back.
Seen on the H100: microbenchmarks ``gpu_bandwidth``, ``backlog`` and ``partitions``; of buffers of 28 to 100 MB that
were read or stored once, which part single loads find, three quarters of it near (``tests/engines/test_l2.py``).
"""

import numpy as np
from numpy.typing import NDArray

from smsim.events import Event
from smsim.model import Model
from smsim.rules.bits import lowest, number_of
from smsim.rules.coalescing import join, joined_ready, note_ready
from smsim.rules.dram import dram_read, dram_write
from smsim.rules.groups import in_groups, load_sector, send_packets
from smsim.rules.hashing import home_of, scatter
from smsim.rules.l2_atomics import behind_atomics
from smsim.rules.partial import complete, fill, fill_oldest, is_partial, store_part
from smsim.rules.port import send
from smsim.rules.rule import apart, rule
from smsim.rules.servers import admit, crowding
from smsim.rules.side_by_side import add_one_below, take_one_above, where_equal, where_largest
from smsim.state.chip import DRAM, L2_FILLS, L2_LOADS, LINK, NUM_SIDES
from smsim.state.l2 import ASKED_FOR, L2_WAYS

L2_SECTORS = int(Event.L2_SECTORS)
L2_READ_SECTORS = int(Event.L2_READ_SECTORS)
L2_READ_REQUESTS = int(Event.L2_READ_REQUESTS)
L2_MISSES = int(Event.L2_MISSES)
MARK = (1 << 16) - 1  # the bits of a line's number that are its mark
BEFORE = -1  # the cycle in which all happens that happens before the launch
ALL_WAYS = (1 << L2_WAYS) - 1


@rule
def l2_read(m: Model, line: int, asked: int, apart: bool, at: int, there: NDArray[np.int64]) -> None:
    """Note in ``there`` when each sector that an SM asks for in cycle ``at`` is in its L1.

    Args:
        m: the SM.
        line, asked: what it asks for at once: sectors of the line, a bit mask.
        apart: whether the lines asked for with it are far from each other.
        at: the cycle.
        there: by sector.
    """
    takes, has_others = m.params[0]["l2_request_interval"] / number_of(asked), m.sm[0]["gpc"] >= 0
    has_groups = in_groups(m)
    is_first, joined = True, False
    for sector in range(len(there)):
        if asked >> sector & 1:
            heard = send(m, at)
            if not has_groups:
                heard = take_request(m, takes, heard)
            if has_others and is_first:
                joined = join(m, line, asked, heard)
            if joined:
                there[sector] = joined_ready(m, line, sector, heard)
            else:
                there[sector] = answer(m, line, sector, asked, apart, heard)
                if has_others:
                    note_ready(m, line, sector, there[sector])
            is_first = False


@rule
def answer(m: Model, line: int, sector: int, asked: int, apart: bool, at: int) -> int:
    """When a sector, of those asked for, a bit mask, is there where L2, which hears of it at ``at``, has to answer."""
    p, sm = m.params[0], m.sm[0]
    is_first = asked & (1 << sector) - 1 == 0
    # While DRAM is far behind, L2 takes nothing more, not even what hits.
    at = max(at, int(m.servers[DRAM]["free"]) - p["dram_ahead"])
    if in_groups(m):
        start = max(load_sector(m, line, sector, asked, at), behind_atomics(m, line, at))
        arrives = start + p["miss_latency"]
    else:
        takes = p["l2_read_interval"]
        start = max(admit(m, L2_LOADS, takes, at), behind_atomics(m, line, at))
        # What all wait for is no shorter where its slice is crowded, unless that takes longer.
        arrives = max(start, at + crowding(m, L2_LOADS, takes, p["l2_service"], at)) + p["miss_latency"]
    sm["events"][L2_SECTORS] += 1
    sm["events"][L2_READ_SECTORS] += 1
    sm["events"][L2_READ_REQUESTS] += is_first
    near = m.l2[place_of(m, line, sm["side"], at)]
    near["ready"] = known(m, near["ready"], arrives)
    if (near["sectors"] >> sector) & 1:
        sm["awaits_dram"] |= near["ready"] > arrives
        return max(arrives, near["ready"])
    place = place_of(m, line, home_of(line), at)
    home = m.l2[place]
    if (home["sectors"] >> sector) & 1:
        near["sectors"] |= 1 << sector
        sm["awaits_dram"] |= home["ready"] > arrives
        sm["events"][L2_MISSES] += 1
        near["ready"] = max(near["ready"], home["ready"], arrives, cross(m, 1, at))
        return near["ready"]
    together = ((1 << p["fill_sectors"]) - 1) << (sector // p["fill_sectors"] * p["fill_sectors"])
    sm["awaits_dram"] = 1
    missing = together & ~home["sectors"]
    home["sectors"] |= missing
    near["sectors"] |= missing
    complete(m, place, missing)
    count = number_of(missing)
    sm["events"][L2_MISSES] += count
    if home_of(line) != sm["side"]:
        arrives += p["far_latency"]
    came = dram_read(m, line, sector, count, apart, start, arrives)
    written = admit(m, L2_FILLS, count * p["l2_write_interval"], came - p["miss_latency"])
    home["ready"] = max(home["ready"], written + p["miss_latency"])
    near["ready"] = home["ready"]
    m.chip[0]["last_ready"] = max(m.chip[0]["last_ready"], home["ready"])
    return home["ready"]


@rule
def known(m: Model, ready: int, arrives: int) -> int:
    """When a line is ready; if other SMs bring it, DRAM answers what they ask of it when these ask for such a line."""
    if ready != ASKED_FOR:
        return ready
    chip = m.chip[0]
    if chip["brought"] == 0:
        chip["brought"] = arrives + m.params[0]["dram_latency"]
    return int(chip["brought"])


@apart
def l2_write(m: Model, line: int, sectors: int, count: int, packets: int, at: int) -> int:
    """Sectors (a bit mask) of a line are stored, so many in all and in so many packets; returns when L2 takes them.

    What waits in front of L2 goes before what DRAM brings, too.
    """
    if in_groups(m):
        taken = send_packets(m, packets, at)
    else:
        taken = take_request(m, packets * m.params[0]["l2_store_interval"], at)
    written = count * m.params[0]["l2_write_interval"]
    admit(m, LINK, written, taken)
    if admit(m, L2_FILLS, written, at) > at:
        m.chip[0]["stored"] += written
    m.sm[0]["events"][L2_SECTORS] += count
    return max(taken, keep(m, line, sectors, True, m.sm[0]["side"], taken))


@rule
def take_request(m: Model, takes: float, at: int) -> int:
    """L2 takes packets of an SM's stores and requests for lines in turn, for so many cycles; returns when.

    So where not all SMs are simulated, as for those that come last: CPCs share L2 evenly, and most have six SMs.
    Seen on the H100: microbenchmarks ``gpu_stores``.
    """
    sm = m.sm[0]
    taken = max(float(at), sm["l2_takes"])
    sm["l2_takes"] = taken + takes
    return int(taken)


@rule
def l2_lacks(m: Model, line: int, sectors: int) -> int:
    """Those of some sectors (a bit mask) of a line that L2 has nowhere."""
    for side in range(NUM_SIDES):
        place = find(m, line, side)
        if place >= 0:
            sectors &= ~m.l2[place]["sectors"]
    return sectors


@apart
def l2_write_part(m: Model, line: int, lacking: int, written: np.ndarray, whole: int, at: int) -> int:
    """Of what has just been stored to a line L2 lacked some sectors: it has no more than the bytes written of these.

    Returns when the rest of others, so many that they are too many, is on its way.
    """
    place = find(m, line, home_of(line))
    lacking = store_part(m, place, lacking, written, whole)
    m.l2[place]["sectors"] &= ~lacking
    take_from_other(m, line, home_of(line), lacking)
    return fill_oldest(m, place // L2_WAYS, at)


@apart
def l2_update(m: Model, line: int, sectors: int, count: int, at: int) -> tuple[int, int]:
    """Atomics on sectors (a bit mask) of a line, so many packets: its home alone has these then.

    Returns when L2 takes them, and when it has what they change, from DRAM if need be. Seen on the H100:
    microbenchmarks ``homes``; DRAM reads what generated kernels reduce into, cold.
    """
    p, place = m.params[0], place_of(m, line, home_of(line), at)
    home = m.l2[place]
    home["ready"] = known(m, home["ready"], at + p["miss_latency"])
    missing = sectors & ~home["sectors"]
    if missing != 0:
        number = number_of(missing)
        m.sm[0]["events"][L2_MISSES] += number
        home["ready"] = max(home["ready"], dram_read(m, line, 0, number, False, at, at + p["miss_latency"]))
        complete(m, place, missing)
    ready = home["ready"] - p["miss_latency"]
    taken = l2_write(m, line, sectors, count, count, at)
    take_from_other(m, line, home_of(line), sectors)
    return taken, ready


@rule
def keep(m: Model, line: int, sectors: int, is_store: bool, side: int, at: int) -> int:
    """Sectors of a line are in the partition that is the line's home and in that of the SM that loaded or stored them.

    What is stored by an SM that is near the home is gone from the other partition. Seen on the H100: what SM 0 has
    loaded, whose home is far, takes it 160 to 190 cycles longer when all SMs have stored to it, or a copy between
    buffers. Returns when there is room for what has to be written back.
    """
    home, place = home_of(line), place_of(m, line, side, at)
    m.l2[place]["sectors"] |= sectors
    if side != home:
        place = place_of(m, line, home, at)
        m.l2[place]["sectors"] |= sectors
    elif is_store:
        take_from_other(m, line, home, sectors)
    return store(m, place, sectors, at) if is_store else at


@rule
def take_from_other(m: Model, line: int, home: int, sectors: int) -> None:
    """The partition that is not the line's home has these sectors no more."""
    other = find(m, line, NUM_SIDES - 1 - home)
    if other >= 0:
        m.l2[other]["sectors"] &= ~sectors


@rule
def store(m: Model, place: int, sectors: int, at: int) -> int:
    """Sectors of a line have to be written back at some time; returns when there is room for them."""
    held = m.l2[place]
    was_clean = held["dirty"] == 0
    held["dirty"] |= sectors
    m.l2_sets[place // L2_WAYS]["dirty"] |= 1 << place % L2_WAYS
    return clean_oldest(m, place // L2_WAYS, at) if was_clean else at


@rule
def place_of(m: Model, line: int, side: int, at: int) -> int:
    """Where a partition has a line, as a row of ``l2``; where it has not, the set's least recently used makes room."""
    place = find(m, line, side)
    if place < 0:
        place = make_room(m, line, side, at)
    use(m, place)
    return place


@apart
def make_room(m: Model, line: int, side: int, at: int) -> int:
    """Give a line another's place, which was used longest ago still."""
    number = l2_set_of(m, line, side)
    way, held = given_up(m, number), m.l2_sets[number]
    held["since"] += 1
    if held["dirty"] >> way & 1 and held["since"] >= m.params[0]["l2_dirty_turn"]:
        held["since"] = 0
    place = number * L2_WAYS + way
    give_up(m, place, at)
    m.l2[place]["tag"] = line * NUM_SIDES + side
    held["marks"][way] = line & MARK
    m.chip[0]["found"][side] = place
    return place


@rule
def given_up(m: Model, number: int) -> int:
    """The way that a set gives up for another line.

    One in some may have to be written back; else the oldest that has not goes. Seen on the H100: microbenchmarks
    ``given_up``.
    """
    held = m.l2_sets[number]
    clean = ~held["dirty"] & ALL_WAYS
    takes_clean = (clean != 0) & (held["since"] + 1 < m.params[0]["l2_dirty_turn"])
    return lowest(where_largest(held["order"], clean if takes_clean else ALL_WAYS))


@rule
def use(m: Model, place: int) -> None:
    """A line is used now."""
    way, order = place % L2_WAYS, m.l2_sets[place // L2_WAYS]["order"]
    if order[way] > 0:
        add_one_below(order, order[way])
        order[way] = 0


@rule
def let_go_next(m: Model, place: int) -> None:
    """A line is the next that makes room in its set."""
    way, order = place % L2_WAYS, m.l2_sets[place // L2_WAYS]["order"]
    take_one_above(order, order[way])
    order[way] = L2_WAYS - 1


@rule
def renew(m: Model, line: int) -> None:
    """The host writes a line: it stays where it has to be written back, as if used now; else it is the next to go.

    The line's home alone has it then. Seen on the H100: of 8 MB that were stored, then copied from the host, and 24 MB
    loaded, 5.5 MB have to be written back at the end, 0.8 without the copy; of 8 MB that were loaded, copied, and 8 MB
    more, DRAM brings 8.3 MB again, 0.4 without.
    """
    home = home_of(line)
    place = find(m, line, home)
    if place >= 0:
        if m.l2_sets[place // L2_WAYS]["dirty"] >> place % L2_WAYS & 1:
            use(m, place)
        else:
            let_go_next(m, place)
        take_from_other(m, line, home, m.l2[place]["sectors"])


@rule
def find(m: Model, line: int, side: int) -> int:
    """Where a partition has a line, as a row of ``l2``; -1 for nowhere."""
    tag, found = line * NUM_SIDES + side, m.chip[0]["found"]
    if m.l2[found[side]]["tag"] == tag:
        return found[side]
    number = l2_set_of(m, line, side)
    marked = where_equal(m.l2_sets[number]["marks"], line & MARK)
    while marked != 0:
        place = number * L2_WAYS + lowest(marked)
        if m.l2[place]["tag"] == tag:
            found[side] = place
            return place
        marked &= marked - 1
    return -1


@rule
def likely_place(m: Model, line: int, side: int) -> int:
    """Where a partition is likely to have a line, or else the place of the line that it gives up for it."""
    number = l2_set_of(m, line, side)
    marked = where_equal(m.l2_sets[number]["marks"], line & MARK)
    return number * L2_WAYS + (lowest(marked) if marked != 0 else given_up(m, number))


@rule
def l2_set_of(m: Model, line: int, side: int) -> int:
    """The set in which a partition has a line: some have more than others."""
    return scatter(line * NUM_SIDES + side, len(m.l2_sets))


@rule
def give_up(m: Model, place: int, at: int) -> None:
    """Give up what a place holds; the other partition keeps what it has of it."""
    write_back(m, place, at)
    m.l2[place]["sectors"] = 0
    m.l2[place]["ready"] = 0


@rule
def clean_oldest(m: Model, number: int, at: int) -> int:
    """A set with too many lines to be written back writes the oldest of them; returns when that is on its way."""
    ways = m.l2_sets[number]["dirty"]
    if number_of(ways) <= m.params[0]["l2_dirty_ways"]:
        return at
    return write_back(m, number * L2_WAYS + lowest(where_largest(m.l2_sets[number]["order"], ways)), at)


@rule
def write_back(m: Model, place: int, at: int) -> int:
    """Write a line's stored sectors to DRAM; returns when they are on their way, late when it has much to do.

    Before the launch nothing takes time.
    """
    if m.l2_sets[place // L2_WAYS]["dirty"] >> place % L2_WAYS & 1 == 0:
        return at
    held = m.l2[place]
    m.l2_sets[place // L2_WAYS]["dirty"] -= 1 << place % L2_WAYS
    sectors = number_of(held["dirty"])
    held["dirty"] = 0
    if at == BEFORE:
        return at
    if is_partial(m, place):
        fill(m, place, at)
    return max(at, dram_write(m, sectors, at) - m.params[0]["dram_latency"])


@rule
def cross(m: Model, sectors: int, at: int) -> int:
    """Load sectors from the far partition; returns when they are in the SM. Of stores only every other one crosses."""
    p = m.params[0]
    return admit(m, LINK, sectors * NUM_SIDES * p["l2_write_interval"], at) + p["miss_latency"] + p["far_latency"]


@rule
def sectors_of(m: Model, touch: int) -> int:
    """The sectors (a bit mask) of a touched line."""
    sectors = 0
    for sector in range(len(m.touches[touch]["bytes"])):
        sectors |= (m.touches[touch]["bytes"][sector] != 0) << sector
    return sectors
