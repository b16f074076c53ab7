"""Stores: through L1's data stage, then lines gather them on their way to L2.

They leave some time behind the store's data, or when others need the place or their warp ends.
Seen on the H100: microbenchmarks ``stores``, ``stored``, ``draining``, ``merging``, ``validity`` and ``local``.
"""

import numpy as np

from smsim.events import Event
from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.data_banks import write_data
from smsim.rules.data_stage import await_quiet, beside_shared
from smsim.rules.foresight import foresee_lines, foresee_sent
from smsim.rules.l1 import (
    LOCAL,
    all_bytes,
    count,
    forget_line,
    keep_stored,
    let_overtake,
    line_of,
    look_up,
    looks,
    note_sent,
    take_queue,
)
from smsim.rules.l2 import l2_lacks, l2_write, l2_write_part
from smsim.rules.leaving_lines import packets_of, partial_in, read_line, sectors_in
from smsim.rules.port import ANY_SLICE, leave_for_l2, left, wait_for_l2
from smsim.rules.rows import hold_rows
from smsim.rules.rule import apart, rule
from smsim.rules.tags import holding, l1_set_of, tag_slice_of, touch_line

L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)
# A line whose place is needed leaves so many cycles behind its pass, or behind all passes of its store.
# Seen on the H100: microbenchmarks ``port_turns``.
GATHERED = 32
# Of a store that begins alone, with more than few passes, the first line is read so many cycles before the last pass.
# Behind it another of more lines than find places waits until all have left, if it comes within so many cycles.
# Seen on the H100: microbenchmarks ``delayed``.
FEW_PASSES, READ_AHEAD, WAITS_BEHIND = 4, 3, 32


@apart
def store(m: Model, w: int, access: int, start: int) -> int:
    """A store makes its passes behind the accesses before it, and gives its lines to those that gather stores.

    Those of one warp follow each other, others' go between, whatever their banks. Returns when they are made and its
    lines have left the data stage.
    """
    sm, p = m.sm[0], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    foresee_lines(m, w, access)
    tags = look_up_all(m, w, access, start)
    # A warp's accesses make their passes one after the other.
    before = max(m.warps[w]["storing_until"], m.warps[w]["loading_until"])
    waited = m.warps[w]["loading_until"] > tags
    lines = kind["end_touch"] - kind["first_touch"]
    is_alone = begins_alone(m, kind, tags)
    empty = await_empty(m, lines, tags)
    before = max(before, empty)
    begins = await_quiet(m, max(tags, before), beside_shared(m, max(tags, before, sm["load_data_free"])))
    cycles = kind["wavefronts"] * (1 if kind["space"] == LOCAL else p["conflict_interval"])
    write_data(m, kind["wavefronts"], cycles, begins)
    passed = begins + cycles
    m.warps[w]["storing_until"] = passed
    idle = passed + p["store_idle"]
    # Which bytes stay valid is settled when its tags are looked up and the stores before it have places.
    settled = max(tags, last_placed(m))
    if is_alone:
        sm["alone_passed"] = passed
    at, sectors = begins, 0
    read_at = passed - READ_AHEAD if is_alone and kind["wavefronts"] > FEW_PASSES else 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        was_held = is_alone and holding(m, line) >= 0
        number, (way, _) = l1_set_of(m, line), touch_line(m, line, at)
        there = begins + (touch + 1 - kind["first_touch"]) * cycles // lines
        if empty == 0:
            # Behind others that had to leave first its lines go on leaving, each behind its own pass.
            there = passed if was_held else min(passed, there + GATHERED)
        at = gather(m, line, touch, idle, there, read_at, at)
        if read_at > 0:
            read_at += packets_in(m, touch)
        forget_line(m, number, way, settled)
        for sector in range(len(m.touches[touch]["bytes"])):
            written = m.touches[touch]["bytes"][sector]
            if written != 0:
                sectors += 1
                keep_stored(m, number, way, sector, written, settled)
    if lines <= p["store_queue_lines"]:
        # The warp's loads wait for a store whose lines all find a place.
        m.warps[w]["stored_until"] = passed
    sm["tag_free"] = start + looks(lines)
    sm["load_data_free"] = max(sm["load_data_free"], at)
    # One that has waited, for its warp's loads or others' lines, lets nothing pass until its own passes are made.
    held = max(at, passed) if waited or empty > 0 else at
    hold_rows(m, held)
    take_queue(m, places(m, kind), max(passed, at))
    let_overtake(m, share(m, kind), at)
    count(m, kind["space"], True, sectors, 0)
    return max(passed, at)


@rule
def begins_alone(m: Model, kind: np.void, at: int) -> bool:
    """Whether a store of several passes, its tags looked up then, finds no line waiting and the port to L2 idle."""
    send_idle(m, at)
    return kind["wavefronts"] > 1 and m.sm[0]["store_lines"] == 0 and m.sm[0]["store_port_free"] <= at


@rule
def await_empty(m: Model, lines: int, at: int) -> int:
    """When all lines have left that wait, for a store right behind one that began alone, of so many lines; else 0."""
    sm, empty = m.sm[0], 0
    if lines > m.params[0]["store_queue_lines"] and at < sm["alone_passed"] + WAITS_BEHIND:
        while sm["store_lines"] > 0:
            empty = send_oldest(m, max(at, m.store_lines[sm["store_lines_head"]]["there"]))
    return empty


@rule
def look_up_all(m: Model, w: int, access: int, start: int) -> int:
    """When the tag stage has looked up the last line of a store or an atomic, with which it begins at ``start``."""
    kind, tags = m.kinds[m.accesses[access]["kind"]], start
    for touch in range(kind["first_touch"], kind["end_touch"]):
        tags = max(tags, look_up(m, tag_slice_of(line_of(m, w, access, touch)), start))
    return tags


@rule
def places(m: Model, kind: np.void) -> int:
    """Those of the queue in front of L1 that a store takes: as many as its data."""
    return min(kind["least_wavefronts"], m.params[0]["store_queue_wavefronts"])


@rule
def share(m: Model, kind: np.void) -> int:
    """As how many loads a store counts for what overtakes it."""
    lines, p = kind["end_touch"] - kind["first_touch"], m.params[0]
    return max(1, (lines * p["overtaken"] + p["overtaken_lines"] // 2) // p["overtaken_lines"])


@rule
def gather(m: Model, line: int, touch: int, idle: int, there: int, read_at: int, at: int) -> int:
    """A store's bytes of one line leave the data stage, behind which some lines wait for a place; returns when."""
    sm, size = m.sm[0], m.params[0]["store_placing_lines"]
    head = sm["placed_head"]
    at = max(at, sm["placed"][head])
    sm["placed"][head] = place(m, line, touch, idle, there, read_at, max(at, last_placed(m)))
    sm["placed_head"] = around(head + 1, size)
    return at


@rule
def last_placed(m: Model) -> int:
    """When the last line of the stores so far took its place."""
    sm, head = m.sm[0], m.sm[0]["placed_head"]
    return sm["placed"][(head if head > 0 else m.params[0]["store_placing_lines"]) - 1]


@rule
def place(m: Model, line: int, touch: int, idle: int, there: int, read_at: int, at: int) -> int:
    """A store's bytes of one line join those that wait, or take a place of their own; returns when they have it.

    They leave at ``idle`` unless more come, and are read at ``read_at``, 0 for as they leave. When there is no place,
    the oldest leaves as soon as its data are there.
    """
    sm, p = m.sm[0], m.params[0]
    size = p["store_queue_lines"]
    send_idle(m, at)
    for i in range(sm["store_lines"]):
        waiting = m.store_lines[around(sm["store_lines_head"] + i, size)]
        if waiting["line"] == line:
            for sector in range(len(waiting["bytes"])):
                waiting["bytes"][sector] |= m.touches[touch]["bytes"][sector]
            waiting["idle"] = max(waiting["idle"], idle)
            waiting["there"] = max(waiting["there"], there)
            return at
    if sm["store_lines"] == size:
        at = send_oldest(m, max(at, m.store_lines[sm["store_lines_head"]]["there"]))
    at = max(at, left(m, size - sm["store_lines"]))
    added = m.store_lines[around(sm["store_lines_head"] + sm["store_lines"], size)]
    sm["store_lines"] += 1
    added["line"], added["idle"], added["there"], added["read_at"], added["read"] = line, idle, there, read_at, 0
    for sector in range(len(added["bytes"])):
        added["bytes"][sector] = m.touches[touch]["bytes"][sector]
    return at


@rule
def packets_in(m: Model, touch: int) -> int:
    """The packets of a line of an access."""
    touched = m.touches[touch]
    return packets_of(sectors_in(touched), partial_in(touched, all_bytes(m)))


@apart
def send_oldest(m: Model, at: int) -> int:
    """The line that has waited for longest leaves when the port to L2 is free; returns when it does.

    It takes a packet for each sector, and one more where a sector is written in part.
    """
    sm, p = m.sm[0], m.params[0]
    oldest = m.store_lines[sm["store_lines_head"]]
    sm["store_lines_head"] = around(sm["store_lines_head"] + 1, p["store_queue_lines"])
    sm["store_lines"] -= 1
    foresee_sent(m, oldest["line"])
    whole = all_bytes(m)
    sectors, partial = sectors_in(oldest), partial_in(oldest, whole)
    in_part = int(partial != 0)
    packets = packets_of(sectors, partial) - in_part
    sm["events"][L2_WRITE_SECTORS] += packets
    leaves = leave_for_l2(m, packets + in_part, at)
    read_line(m, oldest, sectors, leaves)
    lacking = l2_lacks(m, oldest["line"], partial) if in_part else 0
    taken = l2_write(m, oldest["line"], sectors, packets, packets + in_part, leaves)
    if lacking != 0:
        taken = max(taken, l2_write_part(m, oldest["line"], lacking, oldest["bytes"], whole, leaves))
    note_sent(m, oldest["line"], leaves + packets + in_part + p["store_sent"])
    free = wait_for_l2(m, packets + in_part, taken, p["atomic_packets"], ANY_SLICE)
    sm["store_port_free"] = max(sm["store_port_free"], float(free))
    return leaves


@rule
def send_idle(m: Model, now: int) -> None:
    """What has left until now because no store came for some time."""
    sm = m.sm[0]
    while sm["store_lines"] > 0:
        idle = m.store_lines[sm["store_lines_head"]]["idle"]
        if max(float(idle), sm["store_port_free"]) >= now:
            return
        send_oldest(m, idle)


@rule
def send_before(m: Model, at: int) -> None:
    """What waits leaves, as soon as its data are there, before a load's request that comes then: loads pass no stores.

    Seen on the H100: microbenchmarks ``behind``, loads behind stores of a line.
    """
    sm = m.sm[0]
    while sm["store_lines"] > 0:
        send_oldest(m, max(at, m.store_lines[sm["store_lines_head"]]["there"]))


@rule
def send_all(m: Model, now: int) -> None:
    """Nothing comes any more: what waits leaves."""
    while m.sm[0]["store_lines"] > 0:
        send_oldest(m, now)
