"""L2: what it holds, in two partitions, and how fast it answers all SMs together.

Every line has a partition that is its home. An SM asks the partition that is near; what that one lacks it fetches over
the link from the line's home and keeps. Stores go to the home, and the partition near the SM keeps them, too. So lines
whose home is far take room twice, until one of the two gives them up. Lines that were stored to are written back when
they are given up, or when there are too many of them. What DRAM brings is written into L2 when it comes, at the pace of
stores, which go first: a load of it waits for the stores that come before it is back.
Seen on the H100: microbenchmarks ``gpu_bandwidth``, ``backlog`` and ``partitions``; of buffers of 28 to 100 MB that
were read or stored once, which part single loads find, three quarters of it near (``tests/engines/test_l2.py``).
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.bits import lowest, number_of
from smsim.rules.dram import dram_read, dram_write
from smsim.rules.hashing import home_of, scatter
from smsim.rules.packed import BYTE, add_one, take_one, where_equal, where_less, where_more
from smsim.rules.rule import rule
from smsim.rules.servers import admit, crowding
from smsim.state import ASKED_FOR, DRAM, L2_FILLS, L2_LOADS, L2_STORES, L2_WAYS, LINK, NUM_SIDES

L2_SECTORS = int(Event.L2_SECTORS)
L2_MISSES = int(Event.L2_MISSES)
MARK = 63  # the bits of a line's number that are its mark, and of a packed number


@rule
def l2_read(m: Model, line: int, sector: int, together: int, apart: bool, at: int) -> int:
    """When a sector that an SM asks for in cycle ``at`` is in its L1.

    Args:
        m: the SM.
        line, sector: what is asked for.
        together: so many sectors of the line are.
        apart: whether the lines asked for with it are far from each other.
        at: the cycle.
    """
    p, sm = m.params[0], m.sm[0]
    takes = max(p["l2_read_interval"], p["l2_request_interval"] / together)
    # While DRAM is far behind, L2 takes nothing more, not even what hits.
    at = max(at, int(m.servers[DRAM]["free"]) - p["dram_ahead"])
    start = admit(m, L2_LOADS, takes, at)
    sm["events"][L2_SECTORS] += 1
    arrives = start + p["miss_latency"] + crowding(m, L2_LOADS, takes, p["l2_service"], at)
    near = m.l2[place_of(m, line, sm["side"], at)]
    near["ready"] = known(m, near["ready"], arrives)
    if (near["sectors"] >> sector) & 1:
        sm["awaits_dram"] |= near["ready"] > arrives
        return max(arrives, near["ready"])
    home = m.l2[place_of(m, line, home_of(line), at)]
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


@rule
def l2_write(m: Model, line: int, sectors: int, count: int, packets: int, at: int) -> int:
    """Sectors (a bit mask) of a line are stored, so many in all and in so many packets; returns when L2 takes them."""
    takes = packets * m.params[0]["l2_write_interval"]
    admit(m, LINK, takes, at)
    if admit(m, L2_FILLS, takes, at) > at:
        m.chip[0]["stored"] += takes
    taken = admit(m, L2_STORES, takes, at)
    m.sm[0]["events"][L2_SECTORS] += count
    return max(taken, keep(m, line, sectors, True, m.sm[0]["side"], at))


@rule
def l2_update(m: Model, line: int, sectors: int, count: int, at: int) -> tuple[int, int]:
    """Atomics on sectors (a bit mask) of a line, so many packets: its home alone has these then.

    Returns when L2 takes them, and when it has what they change, from DRAM if need be. Seen on the H100:
    microbenchmarks ``homes``; DRAM reads what generated kernels reduce into, cold.
    """
    p, home = m.params[0], m.l2[place_of(m, line, home_of(line), at)]
    home["ready"] = known(m, home["ready"], at + p["miss_latency"])
    missing = sectors & ~home["sectors"]
    if missing != 0:
        number = number_of(missing)
        m.sm[0]["events"][L2_MISSES] += number
        home["ready"] = max(home["ready"], dram_read(m, line, 0, number, False, at, at + p["miss_latency"]))
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
    m.l2_dirty[place // L2_WAYS] |= 1 << place % L2_WAYS
    return clean_oldest(m, place // L2_WAYS, at) if was_clean else at


@rule
def place_of(m: Model, line: int, side: int, at: int) -> int:
    """Where a partition has a line, as a row of ``l2``; where it has not, the set's least recently used makes room."""
    place = find(m, line, side)
    if place < 0:
        place = make_room(m, line, side, at)
    move(m, place // L2_WAYS, place % L2_WAYS, 0)
    return place


@rule
def make_room(m: Model, line: int, side: int, at: int) -> int:
    """Give a line the place that was used longest ago, which it is still.

    One in some may have to be written back; else the oldest that has not goes. Seen on the H100: microbenchmarks
    ``given_up``.
    """
    number = l2_set_of(m, line, side)
    way = last_used(m, number)
    m.l2_since[number] += 1
    if m.l2_dirty[number] >> way & 1 != 0:
        if m.l2_since[number] < m.params[0]["l2_dirty_turn"]:
            way = last_clean(m, number, way)
        else:
            m.l2_since[number] = 0
    place = number * L2_WAYS + way
    give_up(m, place, at)
    m.l2[place]["tag"] = line * NUM_SIDES + side
    set_mark(m, number, way, line)
    m.chip[0]["found"][side] = place
    return place


@rule
def last_clean(m: Model, number: int, last: int) -> int:
    """The way of a set that was used longest ago of those that need not be written back; ``last`` if all need be."""
    ways, longest = ~m.l2_dirty[number] & (1 << L2_WAYS) - 1, -1
    while ways != 0:
        way = lowest(ways)
        since = used_since(m, number, way)
        if since > longest:
            last, longest = way, since
        ways &= ways - 1
    return last


@rule
def last_used(m: Model, number: int) -> int:
    """The way of a set that was used longest ago."""
    order = m.l2_sets[number]["order"]
    word, last = 0, where_equal(order[0], L2_WAYS - 1)
    while last == 0:
        word += 1
        last = where_equal(order[word], L2_WAYS - 1)
    return way_of(word, last)


@rule
def move(m: Model, number: int, way: int, to: int) -> None:
    """So many ways of a set were used since this one was, fewer than before: 0 when it is used now."""
    order = m.l2_sets[number]["order"]
    place = used_since(m, number, way)
    if place > to:
        for word in range(len(order)):
            order[word] = add_one(order[word], where_less(order[word], place) & ~where_less(order[word], to))
        order[way // BYTE] -= (place - to) << way % BYTE * BYTE


@rule
def move_last(m: Model, number: int, way: int) -> None:
    """A way of a set is the next that makes room."""
    order = m.l2_sets[number]["order"]
    place = used_since(m, number, way)
    for word in range(len(order)):
        order[word] = take_one(order[word], where_more(order[word], place))
    order[way // BYTE] += (L2_WAYS - 1 - place) << way % BYTE * BYTE


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
        number, way = place // L2_WAYS, place % L2_WAYS
        if m.l2_dirty[number] >> way & 1 != 0:
            move(m, number, way, 0)
        else:
            move_last(m, number, way)
        take_from_other(m, line, home, m.l2[place]["sectors"])


@rule
def used_since(m: Model, number: int, way: int) -> int:
    """How many ways of a set were used since this one was."""
    return m.l2_sets[number]["order"][way // BYTE] >> way % BYTE * BYTE & MARK


@rule
def set_mark(m: Model, number: int, way: int, line: int) -> None:
    """A way of a set has a line from now on."""
    marks, shift = m.l2_sets[number]["marks"], way % BYTE * BYTE
    marks[way // BYTE] = marks[way // BYTE] & ~(MARK << shift) | (line & MARK) << shift


@rule
def way_of(word: int, places: int) -> int:
    """The way that the first of some places of a word stands for."""
    return word * BYTE + lowest(places) // BYTE


@rule
def find(m: Model, line: int, side: int) -> int:
    """Where a partition has a line, as a row of ``l2``; -1 for nowhere."""
    tag, found = line * NUM_SIDES + side, m.chip[0]["found"]
    if m.l2[found[side]]["tag"] == tag:
        return found[side]
    number = l2_set_of(m, line, side)
    marks = m.l2_sets[number]["marks"]
    for word in range(len(marks)):
        marked = where_equal(marks[word], line & MARK)
        while marked != 0:
            place = number * L2_WAYS + way_of(word, marked)
            if m.l2[place]["tag"] == tag:
                found[side] = place
                return place
            marked &= marked - 1
    return -1


@rule
def likely_place(m: Model, line: int, side: int) -> int:
    """Where a partition is likely to have a line, or else the place of the line that it gives up for it."""
    number = l2_set_of(m, line, side)
    marks = m.l2_sets[number]["marks"]
    for word in range(len(marks)):
        marked = where_equal(marks[word], line & MARK)
        if marked != 0:
            return number * L2_WAYS + way_of(word, marked)
    return number * L2_WAYS + last_used(m, number)


@rule
def l2_set_of(m: Model, line: int, side: int) -> int:
    """The set in which a partition has a line: some have more than others."""
    return scatter(line * NUM_SIDES + side, m.params[0]["l2_sets"])


@rule
def give_up(m: Model, place: int, at: int) -> None:
    """Give up what a place holds; the other partition keeps what it has of it."""
    write_back(m, place, at)
    m.l2[place]["sectors"] = 0
    m.l2[place]["ready"] = 0


@rule
def clean_oldest(m: Model, number: int, at: int) -> int:
    """A set with too many lines to be written back writes the oldest of them; returns when that is on its way."""
    ways = m.l2_dirty[number]
    if number_of(ways) <= m.params[0]["l2_dirty_ways"]:
        return at
    oldest, longest = -1, -1
    while ways != 0:
        since = used_since(m, number, lowest(ways))
        if since > longest:
            oldest, longest = lowest(ways), since
        ways &= ways - 1
    return write_back(m, number * L2_WAYS + oldest, at)


@rule
def write_back(m: Model, place: int, at: int) -> int:
    """Write a line's stored sectors to DRAM; returns when they are on their way, late when it has much to do."""
    if m.l2_dirty[place // L2_WAYS] >> place % L2_WAYS & 1 == 0:
        return at
    held = m.l2[place]
    m.l2_dirty[place // L2_WAYS] -= 1 << place % L2_WAYS
    leaves = dram_write(m, number_of(held["dirty"]), at) - m.params[0]["dram_latency"]
    held["dirty"] = 0
    return max(at, leaves)


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
