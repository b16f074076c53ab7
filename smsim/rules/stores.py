"""Stores: through L1's data stage, then lines gather them on their way to L2.

They leave some time behind the store's data, or when others need the place or their warp ends.
Seen on the H100: microbenchmarks ``stores``, ``stored``, ``draining``, ``merging``, ``validity``, ``local``,
``stacked``, ``spread`` and ``reaching``; on an H200: ``gathered``, ``displaced`` and ``passing``.
"""

import numpy as np

from smsim.events import Event
from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.data_banks import write_data
from smsim.rules.data_stage import await_quiet, beside_shared, is_beside_shared, keep_out
from smsim.rules.foresight import foresee_lines, foresee_sent
from smsim.rules.l1 import (
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
from smsim.rules.leaving_lines import (
    READ_AHEAD,
    packets_of,
    partial_in,
    read_line,
    sectors_in,
    takes_port,
    waiting_line,
)
from smsim.rules.port import ANY_SLICE, SOONER, hold_port, leave_for_l2, wait_for_l2
from smsim.rules.rows import hold_loads, row_free_from
from smsim.rules.rule import apart, rule
from smsim.rules.tags import holding, l1_set_of, tag_slice_of, touch_line
from smsim.state.sizes import NEVER, NUM_SLICES, SLICE_LINES, STORE_LINES

L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)
# A line whose place is needed leaves so many cycles behind its pass, or behind all passes of its store.
# Seen on the H100: microbenchmarks ``port_turns``.
GATHERED = 32
# A line's place is free again so many cycles behind its packets, if it leaves for another (of a row of lines in one
# slice three do for the eighth, as ncu counts on the H200; microbenchmarks ``displaced``), or as it goes, idle.
PLACE_BACK = 4
HAS_NOT_GONE = -1  # a line that leaves before it is idle
NEXT_SLICE = (2, 3, 1, 0)  # behind each slice the one whose turn is next
# Behind a store that begins alone, of more lines than find places, another such waits until all have left, if it comes
# within so many cycles.
# Seen on the H100: microbenchmarks ``delayed``.
WAITS_BEHIND = 32


@apart
def store(m: Model, w: int, pc: int, access: int, start: int) -> int:
    """A store makes its passes as a row is free, and gives its lines to those that gather stores.

    Those of one warp follow each other, others' go between, whatever their banks. Returns when they are made and its
    lines have left the data stage.
    """
    sm, p = m.sm[0], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    foresee_lines(m, w, access)
    tags = look_up_all(m, w, access, start)
    # A warp's accesses make their passes one after the other.
    before = max(m.warps[w]["storing_until"], m.warps[w]["loading_until"])
    lines = kind["end_touch"] - kind["first_touch"]
    is_idle = finds_port_idle(m, start)
    was_empty = is_idle and sm["store_lines"] == 0
    empty = await_empty(m, w, access, tags)
    ready = max(tags, before, empty)
    # One of those that wait for others' lines has a row as it does, which the third one does not: ``spread``.
    has_row = row_free_from(m, tags) < sm["places_taken"] + WAITS_BEHIND
    turn = turn_of_store(m, ready)
    # While it waits for a row the tag stage goes on; beside shared memory it does not, as behind loads.
    begins = await_quiet(m, ready if is_beside_shared(m, ready) else turn, turn)
    cycles = kind["wavefronts"] * p["conflict_interval"]
    # Its lines leave behind the loads before it, too.
    behind = max(sm["row_free"][0], sm["row_free"][1])
    write_data(m, kind["wavefronts"], cycles, begins)
    passed = begins + cycles
    m.warps[w]["storing_until"] = passed
    if kind["wavefronts"] >= lines > 1:  # its passes take as long as its lines' packets
        keep_out(m, kind["banks"], begins, passed)
    idle = max(passed, behind) + p["store_idle"]
    # Which bytes stay valid is settled when its tags are looked up and the stores before it have places.
    settled = max(tags, last_placed(m))
    hold_waiting(m, w, access, settled, idle)
    sm["mingled"] = not was_empty
    if was_empty and kind["wavefronts"] > 1:
        note_alone(m, lines, passed)
    at, sectors = begins, 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        was_held = was_empty and holding(m, line) >= 0
        number, (way, _) = l1_set_of(m, line), touch_line(m, line, m.instructions[pc]["l1_hint"], at)
        there = begins + (touch + 1 - kind["first_touch"]) * cycles // lines
        if empty > 0:
            # Behind others that had to leave first its lines go on leaving, each behind its own pass.
            idle = there
        else:
            there = stays_until(m, lines, passed, idle) if was_held else min(passed, there + GATHERED)
        at = gather(m, line, touch, idle, there, at)
        forget_line(m, number, way, settled)
        for sector in range(len(m.touches[touch]["bytes"])):
            written = m.touches[touch]["bytes"][sector]
            if written != 0:
                sectors += 1
                keep_stored(m, number, way, sector, written, settled)
    let_loads_wait(m, w, passed, last_placed(m) if is_idle or empty > 0 else at, at)
    sm["tag_free"] = start + looks(lines)
    sm["load_data_free"] = max(sm["load_data_free"], at)
    # One that has waited, for its warp's loads or, in a row, for others' lines, lets nothing pass until its own passes
    # are made.
    held = max(at, passed) if m.warps[w]["loading_until"] > tags or (empty > 0 and has_row) else at
    hold_loads(m, held)
    take_queue(m, places(m, kind), max(passed, at))
    let_overtake(m, share(m, kind), at)
    count(m, kind["space"], True, sectors, 0)
    return max(passed, at)


@rule
def stays_until(m: Model, lines: int, passed: int, idle: int) -> int:
    """When lines that L1 has, so many, of a store that found none may leave if their places are needed.

    Where they are for others of its own, as they do anyway.
    """
    return idle if lines > m.params[0]["store_queue_lines"] else passed


@rule
def let_loads_wait(m: Model, w: int, passed: int, placed: int, at: int) -> None:
    """A store will have made its passes then, for which its warp's loads wait, and its last line is placed then.

    It has left the data stage at ``at``. Where lines wait for places as none leaves, loads' lines are looked up a few
    at a time until then, but for what a line takes to go. Seen on the H200: microbenchmarks ``other_banks``.
    """
    m.warps[w]["stored_until"] = passed
    m.sm[0]["parts_until"] = placed - PLACE_BACK if placed > at else 0


@rule
def turn_of_store(m: Model, at: int) -> int:
    """When a store may make its passes that could at ``at``: as a row is free, or a half beside shared memory."""
    sm = m.sm[0]
    if is_beside_shared(m, at):
        return beside_shared(m, max(at, sm["load_data_free"]))
    return row_free_from(m, at)


@rule
def hold_waiting(m: Model, w: int, access: int, at: int, idle: int) -> None:
    """Lines that still wait as a store to them has had its tags looked up stay for it, and leave at ``idle`` or later.

    It is ``at`` that it finds which have been on their way before. Seen on the H100: microbenchmarks ``draining``, of
    three warps' stores to 8 lines each.
    """
    note_leaving(m, at)
    kind = m.kinds[m.accesses[access]["kind"]]
    for touch in range(kind["first_touch"], kind["end_touch"]):
        number = number_waiting(m, line_of(m, w, access, touch))
        if number < m.sm[0]["store_lines"]:
            waiting = waiting_line(m, number)
            waiting["idle"] = max(waiting["idle"], idle)


@rule
def note_leaving(m: Model, at: int) -> None:
    """Lines that have been idle before ``at`` are on their way to L2 then, though the port is not free for them yet.

    They go in their order, of each slice of L1 one at a time. Seen on the H100: microbenchmark ``reaching``.
    """
    sm = m.sm[0]
    if sm["store_lines"] == 0 or waiting_line(m, 0)["idle"] >= at:
        return
    port, goes = sm["store_port_free"], 0
    for slice_ in range(NUM_SLICES):
        sm["slice_goes"][slice_] = sm["slice_sent"][slice_]
    for number in range(sm["store_lines"]):
        waiting = waiting_line(m, number)
        slice_ = tag_slice_of(waiting["line"])
        goes = max(goes, waiting["idle"], sm["slice_goes"][slice_])
        if goes >= at:
            return
        port = max(float(goes), port) + takes_port(m, waiting)
        sm["slice_goes"][slice_] = int(port)
        note_sent(m, waiting["line"], at + 1)


@rule
def number_waiting(m: Model, line: int) -> int:
    """To how many that wait stores came longer ago than to a line that does; how many wait, where it does not.

    One that a load has asked L2 for gathers nothing more.
    """
    number, lines = 0, m.sm[0]["store_lines"]
    while number < lines and (waiting_line(m, number)["line"] != line or waiting_line(m, number)["asked"]):
        number += 1
    return number


@rule
def finds_port_idle(m: Model, at: int) -> bool:
    """Whether no line is leaving as a store's tags are looked up from then on."""
    send_idle(m, at)
    return m.sm[0]["store_port_free"] <= at


@rule
def note_alone(m: Model, lines: int, passed: int) -> None:
    """A store of so many lines began alone and has made its passes then."""
    sm = m.sm[0]
    sm["alone_passed"] = passed
    if lines > m.params[0]["store_queue_lines"]:
        sm["places_taken"] = passed


@rule
def await_empty(m: Model, w: int, access: int, at: int) -> int:
    """When all lines have left that wait, for a store of many others right behind one of as many, begun alone; else 0.

    It is when its first line does not wait itself. Seen on the H200: microbenchmarks ``doubled``.
    """
    sm, kind = m.sm[0], m.kinds[m.accesses[access]["kind"]]
    many = kind["end_touch"] - kind["first_touch"] > m.params[0]["store_queue_lines"]
    first = line_of(m, w, access, kind["first_touch"])
    if many and at < sm["places_taken"] + WAITS_BEHIND and number_waiting(m, first) == sm["store_lines"]:
        send_before(m, at)
        sm["store_port_free"] = min(sm["store_port_free"], sm["read_until"] + READ_AHEAD)  # what is read has left
        return max(at, sm["read_until"])
    return 0


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
def gather(m: Model, line: int, touch: int, idle: int, there: int, at: int) -> int:
    """A store's bytes of one line leave the data stage, behind which some lines wait for a place; returns when."""
    sm, slice_, first = m.sm[0], tag_slice_of(line), 0
    for waited in range(m.params[0]["store_placing_lines"]):
        if sm["placed"][waited] < sm["placed"][first]:
            first = waited
    at = max(at, sm["placed"][first])
    sm["slice_placed"][slice_] = place(m, line, touch, idle, there, max(at, sm["slice_placed"][slice_]))
    sm["placed"][first] = sm["slice_placed"][slice_]
    return at


@rule
def last_placed(m: Model) -> int:
    """When the last line of the stores so far took its place."""
    last = 0
    for slice_ in range(NUM_SLICES):
        last = max(last, m.sm[0]["slice_placed"][slice_])
    return last


@rule
def place(m: Model, line: int, touch: int, idle: int, there: int, at: int) -> int:
    """A store's bytes of one line join those that wait, or take a place of their own; returns when they have it.

    They leave at ``idle`` unless more come. When its slice has no place, lines leave until it has one.
    """
    sm = m.sm[0]
    send_wanted(m, at)
    send_idle(m, at)
    number = number_waiting(m, line)
    if number < sm["store_lines"]:
        waiting = waiting_line(m, number)
        for sector in range(len(waiting["bytes"])):
            waiting["bytes"][sector] |= m.touches[touch]["bytes"][sector]
        waiting["idle"] = max(waiting["idle"], idle)
        waiting["there"] = max(waiting["there"], there)
        move(m, number, sm["store_lines"] - 1)  # it leaves behind all others
        return at
    slice_ = tag_slice_of(line)
    at = await_slice(m, slice_, at)
    idle = max(idle, at + m.params[0]["store_idle"])
    added = waiting_line(m, sm["store_lines"])
    sm["store_lines"] += 1
    sm["slice_waiting"][slice_] += 1
    added["line"], added["idle"], added["there"] = line, idle, there
    added["read"], added["asked"] = 0, 0
    for sector in range(len(added["bytes"])):
        added["bytes"][sector] = m.touches[touch]["bytes"][sector]
    return at


@rule
def move(m: Model, number: int, to: int) -> None:
    """A waiting line, the one of that number, has another; those between make room."""
    head, order = m.sm[0]["store_lines_head"], m.sm[0]["store_order"]
    place = order[around(head + number, STORE_LINES)]
    step = 1 if to > number else -1
    while number != to:
        order[around(head + number, STORE_LINES)] = order[around(head + number + step, STORE_LINES)]
        number += step
    order[around(head + to, STORE_LINES)] = place


@rule
def await_slice(m: Model, slice_: int, at: int) -> int:
    """When a slice of L1 has a place for another line; meanwhile lines of all slices leave in turn.

    Those behind one of its own leave as they would, until it has that one's place: :func:`send_wanted`.
    """
    sm = m.sm[0]
    while sm["slice_waiting"][slice_] == SLICE_LINES:
        send_of_slice(m, slice_in_turn(m, max(at, int(sm["store_port_free"]))), at)
    free = slice_free(m, slice_)
    if free > at:
        sm["places_wanted"] = max(sm["places_wanted"], free)
    return max(at, free)


@rule
def send_wanted(m: Model, now: int) -> None:
    """What has left until now because lines waited for places: of the slices in turn their oldest."""
    sm = m.sm[0]
    until = min(now, sm["places_wanted"])
    while sm["store_lines"] > 0 and sm["store_port_free"] < until:
        slice_ = slice_in_turn(m, int(sm["store_port_free"]))
        if waiting_line(m, oldest_of(m, slice_))["there"] >= until:
            return
        send_of_slice(m, slice_, int(sm["store_port_free"]))


@rule
def slice_in_turn(m: Model, at: int) -> int:
    """The slice whose turn it is, of those with lines: one whose oldest may leave then, or the first that may."""
    sm, first, first_there = m.sm[0], -1, NEVER
    slice_ = sm["last_slice"]
    for _ in range(NUM_SLICES):
        slice_ = NEXT_SLICE[slice_]
        if sm["slice_waiting"][slice_] > 0:
            there = waiting_line(m, oldest_of(m, slice_))["there"]
            if there <= at:
                return slice_
            if there < first_there:
                first, first_there = slice_, there
    return first


@rule
def oldest_of(m: Model, slice_: int) -> int:
    """To how many lines stores came longer ago than to the oldest of a slice, which has one."""
    number = 0
    while tag_slice_of(waiting_line(m, number)["line"]) != slice_:
        number += 1
    return number


@rule
def send_of_slice(m: Model, slice_: int, at: int) -> None:
    """The line of a slice leaves that has waited for longest, as soon as its data are there: a lone store's as it goes,
    idle.
    """
    move(m, oldest_of(m, slice_), 0)
    at, gone = max(at, waiting_line(m, 0)["there"]), HAS_NOT_GONE
    if waiting_line(m, 0)["there"] >= waiting_line(m, 0)["idle"]:
        gone = m.sm[0]["idle_gone"] = goes_idle(m)
    send_oldest(m, at, gone)


@rule
def goes_idle(m: Model) -> int:
    """When the line that has waited for longest goes if no store comes to it."""
    sm, oldest = m.sm[0], waiting_line(m, 0)
    return max(oldest["idle"], sm["idle_gone"] + 1, sm["slice_sent"][tag_slice_of(oldest["line"])])


@rule
def slice_free(m: Model, slice_: int) -> int:
    """When a slice of L1 has a place for another line, as far as is known; NEVER while lines wait in all of them."""
    sm = m.sm[0]
    waiting = sm["slice_waiting"][slice_]
    if waiting == SLICE_LINES:
        return NEVER
    return sm["slice_freed"][slice_, around(sm["slice_freed_head"][slice_] + waiting, SLICE_LINES)]


@apart
def send_oldest(m: Model, at: int, gone: int) -> int:
    """The line that has waited for longest leaves when the port to L2 is free; returns when it does.

    It takes a packet for each sector, and one more where a sector is written in part. One that has ``gone`` before,
    idle, gives its place back as it did, and leaves sooner to loads behind it.
    """
    sm, p = m.sm[0], m.params[0]
    oldest = waiting_line(m, 0)
    sm["store_lines_head"] = around(sm["store_lines_head"] + 1, STORE_LINES)
    sm["store_lines"] -= 1
    foresee_sent(m, oldest["line"])
    whole = all_bytes(m)
    sectors, partial = sectors_in(oldest), partial_in(oldest, whole)
    in_part = int(partial != 0)
    packets = packets_of(sectors, partial) - in_part
    sm["events"][L2_WRITE_SECTORS] += packets
    sooner = SOONER if gone != HAS_NOT_GONE else 0
    leaves = leave_for_l2(m, packets + in_part, at, sooner)
    sm["last_slice"] = tag_slice_of(oldest["line"])
    sent = leaves + packets + in_part
    sm["slice_sent"][sm["last_slice"]] = sent
    give_place(m, sm["last_slice"], (gone if gone != HAS_NOT_GONE else sent) + PLACE_BACK)
    read_line(m, oldest, at, leaves)
    lacking = l2_lacks(m, oldest["line"], partial) if in_part else 0
    taken = l2_write(m, oldest["line"], sectors, packets, packets + in_part, leaves)
    if lacking != 0:
        taken = max(taken, l2_write_part(m, oldest["line"], lacking, oldest["bytes"], whole, leaves))
    note_sent(m, oldest["line"], sent + p["store_sent"])
    free = wait_for_l2(m, packets + in_part, taken, p["atomic_packets"], ANY_SLICE)
    hold_port(m, free, sooner)
    return leaves


@rule
def give_place(m: Model, slice_: int, at: int) -> None:
    """A line leaves; its slice of L1 has its place again from then on."""
    sm = m.sm[0]
    head = sm["slice_freed_head"][slice_]
    sm["slice_waiting"][slice_] -= 1
    sm["slice_freed"][slice_, head] = at
    sm["slice_freed_head"][slice_] = around(head + 1, SLICE_LINES)


@rule
def send_idle(m: Model, now: int) -> None:
    """What goes until now because no store came for some time: a line a cycle, one of each slice in front of the port.

    What is stored to it then does not join it, and its place is another's. Seen on the H200: microbenchmarks
    ``passing``; stores to all places, again and again as they go (ncu's sectors).
    """
    sm = m.sm[0]
    while sm["store_lines"] > 0:
        goes = goes_idle(m)
        if goes >= now:
            return
        sm["idle_gone"] = goes
        send_oldest(m, waiting_line(m, 0)["idle"], goes)


@rule
def send_before(m: Model, at: int) -> None:
    """What waits leaves, as soon as its data are there, before what comes then."""
    while m.sm[0]["store_lines"] > 0:
        send_oldest(m, max(at, waiting_line(m, 0)["there"]), HAS_NOT_GONE)


@rule
def pass_none(m: Model, at: int) -> float:
    """When the lines that wait have left to a load behind them, which comes then; 0 if none waits.

    They leave when they do without it, and what is stored to them meanwhile joins them. Seen on the H200:
    microbenchmarks ``passing``. Where L2 takes their packets in a longer time than the port, as where an SM stands for
    all, they leave at once, so that the load is behind them there.
    """
    sm, p = m.sm[0], m.params[0]
    if p["l2_store_interval"] > p["store_packet_interval"]:
        send_before(m, at)
    port = sm["lines_left"]
    for number in range(sm["store_lines"]):
        waiting = waiting_line(m, number)
        port = max(float(waiting["idle"] - SOONER), port) + takes_port(m, waiting)
    return port if sm["store_lines"] > 0 else 0.0


@rule
def let_none_join(m: Model, line: int) -> None:
    """A load asks L2 for a line: what was stored to it goes there before, and is joined by nothing more."""
    number = number_waiting(m, line)
    if number < m.sm[0]["store_lines"]:
        waiting_line(m, number)["asked"] = 1


@rule
def send_all(m: Model, now: int) -> None:
    """Nothing comes any more: what waits leaves."""
    while m.sm[0]["store_lines"] > 0:
        send_oldest(m, now, HAS_NOT_GONE)
