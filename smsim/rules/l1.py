"""L1: the queue in front of it, its tag stage, its lines, and the data stage behind.

Seen on the H100: microbenchmarks ``l1``, ``tags`` and ``scattered``. The tag stage looks up a line a cycle in each of
its four slices; the data stage reads the banks that shared memory has, so that words of one bank in several lines cost
a pass each, which a warp alone gets every other cycle. Loads pass those that wait for L2. Which lines are given up is
in :mod:`smsim.rules.tags`.
"""

import numpy as np

from isa.trace.model import Space
from smsim.events import Event
from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.data_stage import is_waiting, next_number
from smsim.rules.l2 import l2_read
from smsim.rules.port import detour, own_way
from smsim.rules.rule import rule
from smsim.rules.tags import holding, l1_set_of
from smsim.state.sizes import FIRST_LOCAL_LINE, MAX_L1_QUEUE, MAX_OVERTAKEN, NEVER, NUM_SLICES, NUM_SMSPS

LOCAL = int(Space.LOCAL)
GLOBAL_LOAD_REQUESTS = int(Event.GLOBAL_LOAD_REQUESTS)
GLOBAL_LOAD_SECTORS = int(Event.GLOBAL_LOAD_SECTORS)
GLOBAL_LOAD_HITS = int(Event.GLOBAL_LOAD_HITS)
GLOBAL_STORE_REQUESTS = int(Event.GLOBAL_STORE_REQUESTS)
GLOBAL_STORE_SECTORS = int(Event.GLOBAL_STORE_SECTORS)
LOCAL_LOAD_SECTORS = int(Event.LOCAL_LOAD_SECTORS)
LOCAL_STORE_SECTORS = int(Event.LOCAL_STORE_SECTORS)


@rule
def queue_free(m: Model, places: int) -> int:
    """When the queue in front of L1 has so many places."""
    sm = m.sm[0]
    return sm["l1_queue"][around(sm["l1_queue_head"] + places - 1, m.params[0]["store_queue_wavefronts"])]


@rule
def take_queue(m: Model, places: int, until: int) -> None:
    """What has had its tags looked up holds its places of the queue until then."""
    sm = m.sm[0]
    for _ in range(places):
        sm["l1_queue"][sm["l1_queue_next"]] = until
        sm["l1_queue_next"] = around(sm["l1_queue_next"] + 1, m.params[0]["store_queue_wavefronts"])


@rule
def wait_for_tags(m: Model, w: int, pc: int, access: int, issued: int, places: int, units: int, now: int) -> None:
    """An access comes into the queue, of which it takes so many places, and of what may be overtaken so many units."""
    sm = m.sm[0]
    entry = m.l1_queue[(sm["l1_waiting_head"] + sm["l1_waiting"]) % MAX_L1_QUEUE]
    sm["l1_waiting"] += 1
    entry["warp"], entry["pc"], entry["access"] = w, pc, access
    entry["issued"], entry["came"] = issued, now
    entry["certainty"] = m.smsps[w % NUM_SMSPS]["moving_certainty"]
    sm["came"] += units
    for _ in range(places):
        sm["l1_queue"][sm["l1_queue_head"]] = NEVER
        sm["l1_queue_head"] = around(sm["l1_queue_head"] + 1, m.params[0]["store_queue_wavefronts"])


@rule
def let_overtake(m: Model, places: int, at: int) -> None:
    """A load or store, whose tags are looked up at ``at``, is one of those that others may overtake until then."""
    sm = m.sm[0]
    for _ in range(places):
        sm["overtaken"][sm["known"] % MAX_OVERTAKEN] = at
        sm["known"] += 1


@rule
def overtaking_from(m: Model, behind: int) -> int:
    """When an instruction without tags may leave the queue: so few loads and stores wait that it overtakes them.

    Seen on the H100: microbenchmarks ``behind``.
    """
    sm = m.sm[0]
    if behind >= sm["known"]:
        return NEVER
    return sm["overtaken"][behind % MAX_OVERTAKEN] if behind >= 0 and sm["known"] - behind <= MAX_OVERTAKEN else 0


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
def line_of(m: Model, w: int, access: int, touch: int) -> int:
    """The number of a line that an access touches; the local memories of warps lie behind each other and all others."""
    line = m.accesses[access]["line"] + m.touches[touch]["delta"]
    if m.kinds[m.accesses[access]["kind"]]["space"] == LOCAL:
        line += FIRST_LOCAL_LINE + (m.warps[w]["trace_warp"] + 1) * m.params[0]["local_lines"]
    return line


@rule
def all_bytes(m: Model) -> int:
    """The bit mask of a whole sector."""
    return (1 << m.params[0]["sector_bytes"]) - 1


@rule
def find_sector(m: Model, number: int, way: int, sector: int, wanted: int) -> tuple[int, bool]:
    """When L1 has the wanted bytes (a bit mask) of a sector, and whether it has, or has asked for them.

    Its line is in that way of the set with that number.
    """
    held = m.l1[number, way]
    hit = held["ready"][sector] >= 0 and wanted & held["bytes"][sector] == wanted
    return held["ready"][sector], hit


@rule
def fetch_sectors(m: Model, line: int, touch: int, number: int, way: int, lacking: int, apart: bool, at: int) -> int:
    """Ask L2 for those of a line's touched sectors that L1 lacks, a bit mask; returns when all are there.

    The line is in that way of the set with that number. Each touched sector comes some time behind the one before.
    For the rest see `l2_read`.
    """
    held, touched = m.l1[number, way], m.touches[touch]["bytes"]
    l2_read(m, line, lacking, apart, at, held["ready"])
    further, lag, comes = detour(m, line) + own_way(m, line), 0.0, 0
    for sector in range(len(touched)):
        if lacking >> sector & 1:
            held["ready"][sector] += further + int(lag)
            held["bytes"][sector] = all_bytes(m)
            comes = max(comes, held["ready"][sector])
        if touched[sector] != 0:
            lag += m.params[0]["sector_lag"]
    return comes


@rule
def keep_stored(m: Model, number: int, way: int, sector: int, written: int, at: int) -> None:
    """L1 has the bytes of a sector that a store wrote, these alone where it has none of the sector: see `forget_line`.

    Seen on the H100: microbenchmarks ``partly`` and ``validity``.
    """
    held = m.l1[number, way]
    if held["ready"][sector] < 0:
        held["ready"][sector] = at
        held["bytes"][sector] = 0
    held["bytes"][sector] |= written


@rule
def await_sectors(m: Model, touch: int, number: int, way: int) -> None:
    """The next that waits for data from L2 waits for the touched sectors of a line, in that way of its set."""
    for sector in range(len(m.touches[touch]["bytes"])):
        if m.touches[touch]["bytes"][sector] != 0:
            m.l1[number, way]["awaited_by"][sector] = next_number(m)


@rule
def give_up(m: Model, line: int, touch: int) -> None:
    """L1 gives up the sectors of a line that an atomic touches, those on their way, too.

    Seen on the H100: microbenchmarks ``partly``.
    """
    way = holding(m, line)
    if way >= 0:
        for sector in range(len(m.touches[touch]["bytes"])):
            if m.touches[touch]["bytes"][sector] != 0:
                m.l1[l1_set_of(m, line), way]["ready"][sector] = -1


@rule
def forget_arrived(m: Model, number: int, way: int, sector: int, at: int) -> None:
    """L1 does not have a sector any more that is not on its way to it.

    Seen on the H100: microbenchmarks ``walks``, LDG of GPU scope to the same sectors again and again.
    """
    held = m.l1[number, way]
    if held["ready"][sector] <= at:
        held["ready"][sector] = -1


@rule
def forget_line(m: Model, number: int, way: int, at: int) -> None:
    """A store to a line that is on its way to or from L2: L1 has none of the line any more, but what is stored now.

    On its way to L2 are an earlier store's bytes, from L2 what loads wait for, whatever sectors of the line.
    Seen on the H100: ncu's hits of loads behind two stores (``tests/engines/test_stores.py``); microbenchmarks
    ``parts``.
    """
    held = m.l1[number, way]
    sent_until = m.l1_ways[number, way]["sent_until"]
    if is_held(held["ready"]) and (at < sent_until or is_awaited(m, held["awaited_by"], at)):
        held["ready"][:] = -1


@rule
def is_held(ready: np.ndarray) -> bool:
    """Whether L1 has a sector of a line, or will, by when it has each."""
    held = 0
    for sector in range(len(ready)):
        held += ready[sector] >= 0
    return held > 0


@rule
def is_awaited(m: Model, awaited_by: np.ndarray, at: int) -> bool:
    """Whether a load waits at that time for a sector of a line: by the numbers of those that waited last for each."""
    if m.sm[0]["fills"] > 0 or at < m.sm[0]["fill_free"]:
        before = -1
        for number in awaited_by:
            if number != before and is_waiting(m, int(number), at):
                return True
            before = number
    return False


@rule
def note_sent(m: Model, line: int, until: int) -> None:
    """The stored bytes of a line are being sent to L2 until then, if L1 still has the line."""
    way = holding(m, line)
    if way >= 0:
        at_way = m.l1_ways[l1_set_of(m, line), way]
        at_way["sent_until"] = max(at_way["sent_until"], until)


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
