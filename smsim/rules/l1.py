"""L1: the queue in front of it, its tag stage, its lines, and the data stage behind.

Seen on the H100: microbenchmarks ``l1`` and ``scattered``. The tag stage looks up a line a cycle in each of its four
slices; the data stage reads the banks that shared memory has, so that words of one bank in several lines cost a pass
each, which a warp alone gets every other cycle. Loads pass those that wait for L2.
"""

from isa.trace.model import Space
from smsim.events import Event
from smsim.model import Model
from smsim.rules.data_stage import is_waiting, next_number
from smsim.rules.l2 import l2_read
from smsim.rules.port import detour, send
from smsim.rules.rule import rule
from smsim.state import FIRST_LOCAL_LINE, NUM_SLICES

LOCAL = int(Space.LOCAL)
GLOBAL_LOAD_REQUESTS = int(Event.GLOBAL_LOAD_REQUESTS)
GLOBAL_LOAD_SECTORS = int(Event.GLOBAL_LOAD_SECTORS)
GLOBAL_LOAD_HITS = int(Event.GLOBAL_LOAD_HITS)
GLOBAL_STORE_REQUESTS = int(Event.GLOBAL_STORE_REQUESTS)
GLOBAL_STORE_SECTORS = int(Event.GLOBAL_STORE_SECTORS)
LOCAL_LOAD_SECTORS = int(Event.LOCAL_LOAD_SECTORS)
LOCAL_STORE_SECTORS = int(Event.LOCAL_STORE_SECTORS)
L2_READ_SECTORS = int(Event.L2_READ_SECTORS)

# The bits of a line's number whose parities are its slice, of the lowest 19 (64 MB). Seen on the H100: of 280 random
# lines, which ones a load of another makes L1 give up, in 132 walks of 57,000 loads; lines of one slice alone do.
HASHED_BITS = 19
SLICE_BITS = (0x77AB5, 0x5AF6F)


@rule
def queue_free(m: Model, places: int) -> int:
    """When the queue in front of L1 has so many places."""
    sm = m.sm[0]
    return sm["l1_queue"][(sm["l1_queue_head"] + places - 1) % m.params[0]["store_queue_wavefronts"]]


@rule
def take_queue(m: Model, places: int, until: int) -> None:
    """Hold so many places of the queue."""
    sm = m.sm[0]
    for _ in range(places):
        sm["l1_queue"][sm["l1_queue_head"]] = until
        sm["l1_queue_head"] = (sm["l1_queue_head"] + 1) % m.params[0]["store_queue_wavefronts"]


@rule
def let_overtake(m: Model, places: int, at: int) -> None:
    """A load or store, whose tags are looked up at ``at``, is one of those that others may overtake until then."""
    sm = m.sm[0]
    for _ in range(places):
        sm["overtaken"][sm["overtaken_head"]] = at
        sm["overtaken_head"] = (sm["overtaken_head"] + 1) % m.params[0]["overtaken"]


@rule
def overtaking_from(m: Model) -> int:
    """When an instruction without tags may leave the queue: so few loads and stores wait that it overtakes them.

    Seen on the H100: microbenchmarks ``behind``.
    """
    return m.sm[0]["overtaken"][m.sm[0]["overtaken_head"]]


@rule
def slice_of(line: int) -> int:
    """The slice of the tag stage that looks a line up, and that may hold it."""
    bits = line ^ line >> HASHED_BITS ^ line >> 2 * HASHED_BITS
    return parity(bits & SLICE_BITS[0]) << 1 | parity(bits & SLICE_BITS[1])


@rule
def parity(bits: int) -> int:
    """Whether an odd number of up to 32 bits is set."""
    for half in (16, 8, 4, 2, 1):
        bits ^= bits >> half
    return bits & 1


@rule
def look_up(m: Model, number: int, at: int) -> int:
    """When a slice looks up another line."""
    slices = m.sm[0]["slice_free"]
    slices[number] = max(at, slices[number]) + 1
    return slices[number] - 1


@rule
def looks(lines: int) -> int:
    """The cycles in which the tag stage looks up so many lines."""
    return (lines + NUM_SLICES - 1) // NUM_SLICES


@rule
def way_of(m: Model, line: int, now: int) -> int:
    """The way of its set that holds the line; the least recently used one makes room where none does."""
    number, way = set_of(m, line), holding(m, line)
    if way < 0:
        used = m.l1_used[number]
        way = 0
        for other in range(len(used)):
            if used[other] < used[way]:
                way = other
        m.l1_tags[number, way] = line
        m.l1_found[number] = way
        m.l1[number, way]["ready"][:] = -1
        m.l1[number, way]["sent_until"][:] = 0
        m.l1[number, way]["awaited_by"][:] = 0
    m.l1_used[number, way] = now
    return way


@rule
def holding(m: Model, line: int) -> int:
    """The way of its set that holds the line; -1 for none."""
    number = set_of(m, line)
    tags, found = m.l1_tags[number], m.l1_found[number]
    if tags[found] == line:
        return found
    for way in range(len(tags)):
        if tags[way] == line:
            m.l1_found[number] = way
            return way
    return -1


@rule
def set_of(m: Model, line: int) -> int:
    """The set of a line: lines any stride apart share the sets evenly.

    It is kept for the next time, most often that of the same line: divisions take long.
    """
    sm, sets = m.sm[0], m.params[0]["l1_sets"]
    if sm["placed_line"] != line:
        sm["placed_line"], sm["placed_in"] = line, (line + line // sets + line // sets // sets) % sets
    return sm["placed_in"]


@rule
def line_of(m: Model, w: int, access: int, touch: int) -> int:
    """The number of a line that an access touches; a warp's local memory has numbers of its own."""
    line = m.accesses[access]["line"] + m.touches[touch]["delta"]
    if m.kinds[m.accesses[access]["kind"]]["space"] == LOCAL:
        line += (m.warps[w]["trace_warp"] + 1) * FIRST_LOCAL_LINE
    return line


@rule
def all_bytes(m: Model) -> int:
    """The bit mask of a whole sector."""
    return (1 << m.params[0]["sector_bytes"]) - 1


@rule
def find_sector(m: Model, line: int, sector: int, wanted: int, at: int) -> tuple[int, bool]:
    """When L1 has the wanted bytes (a bit mask) of a sector, and whether it has, or has asked for them."""
    held = m.l1[set_of(m, line), way_of(m, line, at)]
    hit = held["ready"][sector] >= 0 and wanted & ~held["bytes"][sector] == 0
    return held["ready"][sector], hit


@rule
def fetch_sector(m: Model, line: int, sector: int, wanted: int, together: int, apart: bool, at: int) -> int:
    """Ask L2 for a sector of which L1 lacks wanted bytes; returns when it is there. For the rest see `l2_read`."""
    held = m.l1[set_of(m, line), way_of(m, line, at)]
    if held["ready"][sector] >= 0 and wanted & ~held["bytes"][sector] == 0:
        return held["ready"][sector]
    m.sm[0]["events"][L2_READ_SECTORS] += 1
    held["ready"][sector] = l2_read(m, line, sector, together, apart, send(m, at)) + detour(m, line)
    held["bytes"][sector] = all_bytes(m)
    return held["ready"][sector]


@rule
def keep_stored(m: Model, line: int, sector: int, written: int, at: int) -> None:
    """L1 has the bytes of a sector that a store wrote.

    These alone while a load of the sector waits for L2 or makes its passes, or an earlier store to it is being sent.

    Seen on the H100: microbenchmarks ``partly`` and ``validity``.
    """
    held = m.l1[set_of(m, line), way_of(m, line, at)]
    if held["ready"][sector] < 0 or at < held["sent_until"][sector] or is_waiting(m, held["awaited_by"][sector], at):
        held["ready"][sector] = at
        held["bytes"][sector] = 0
    held["bytes"][sector] |= written


@rule
def await_sectors(m: Model, line: int, touch: int) -> None:
    """The next that waits for data from L2 waits for the sectors of a line that it touches."""
    way = holding(m, line)
    for sector in range(len(m.touches[touch]["bytes"])):
        if m.touches[touch]["bytes"][sector] != 0:
            m.l1[set_of(m, line), way]["awaited_by"][sector] = next_number(m)


@rule
def give_up(m: Model, line: int, touch: int) -> None:
    """L1 gives up the sectors of a line that an atomic touches, those on their way, too.

    Seen on the H100: microbenchmarks ``partly``.
    """
    way = holding(m, line)
    if way >= 0:
        for sector in range(len(m.touches[touch]["bytes"])):
            if m.touches[touch]["bytes"][sector] != 0:
                m.l1[set_of(m, line), way]["ready"][sector] = -1


@rule
def note_sent(m: Model, line: int, sector: int, until: int) -> None:
    """The sector's stored bytes are being sent to L2 until then, if L1 still has it."""
    way = holding(m, line)
    if way >= 0:
        m.l1[set_of(m, line), way]["sent_until"][sector] = until


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
def empty_l1(m: Model) -> None:
    """Forget all lines of global memory; local memory stays."""
    for number in range(len(m.l1_tags)):
        for way in range(m.l1_tags.shape[1]):
            if m.l1_tags[number, way] < FIRST_LOCAL_LINE:
                m.l1_tags[number, way] = -1
