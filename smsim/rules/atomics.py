"""Atomics on global memory: through L1's data stage, in packets through the port to L2, done at the line's home there.

Seen on the H100: microbenchmarks ``atomics``, ``collisions`` and ``reducing``.
"""

import math

import numpy as np

from smsim.events import Event
from smsim.model import Model
from smsim.rules.data_banks import hold_banks, write_data
from smsim.rules.data_stage import await_data, await_quiet, awaits_pause, beside_shared, keep_out, passed_until
from smsim.rules.fill_order import row
from smsim.rules.hashing import home_of, l2_slice_of
from smsim.rules.l1 import give_up, let_overtake, line_of, looks, take_queue
from smsim.rules.l2 import l2_update, sectors_of
from smsim.rules.l2_atomics import l2_atomic, waiting
from smsim.rules.leaving_lines import read_sectors
from smsim.rules.lookup import holds
from smsim.rules.port import detour, hold_port, leave_for_l2, left, wait_for_l2, wait_for_slice
from smsim.rules.rows import hold_rows, row_free_from
from smsim.rules.rule import apart, rule
from smsim.rules.stores import look_up_all, send_before
from smsim.state.sizes import NEVER, NUM_BARRIERS, NUM_ROWS

L2_WRITE_SECTORS = int(Event.L2_WRITE_SECTORS)
# Loads behind their warp's atomic wait for every other cycle of its passes, but for no more cycles beside them.
MOST_LATE = 8
SENT = 2  # cycles from another access's last packet until passes that send packets begin
READ_BEHIND = 1  # cycles from its passes until an atomic's sectors are read, or another odd number
WIDE_ANSWER = 2  # passes that an answer of several words makes


@apart
def atomic(m: Model, w: int, pc: int, access: int, start: int, late: int) -> tuple[int, int]:
    """An atomic's packets to L2 and what comes back, which is the warp's ``late`` cycles behind its first pass.

    Returns when the last packet has left, and when an atomic with the table's latency would have begun, NEVER for one
    that waits for its answer.
    """
    sm, p, code = m.sm[0], m.params[0], m.instructions[pc]
    kind = m.kinds[m.accesses[access]["kind"]]
    way = 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        way = max(way, p["miss_spread"] // 2 + detour(m, line) + (home_of(line) != sm["side"]) * p["far_atomic"])
    packets = kind["atomic_packets"]
    send_before(m, start)
    leaves = send_lanes(m, kind, pass_lanes(m, w, access, start))
    # What goes to L2 waits for the port as lines of stores do, and the tag stage for one of their places.
    sm["tag_free"] = max(start + looks(kind["end_touch"] - kind["first_touch"]), left(m, p["store_queue_lines"]))
    take_queue(m, 1, start)
    let_overtake(m, 1, start)
    done = leaves + packets - len(m.l1[0, 0]["ready"]) - 1
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line, sectors = line_of(m, w, access, touch), m.touches[touch]["atomic_sectors"]
        sm["events"][L2_WRITE_SECTORS] += sectors
        give_up(m, line, touch)
        taken, ready = l2_update(m, line, sectors_of(m, touch), sectors, leaves)
        addressed = m.touches[touch]["atomic_packets"]
        whole = m.touches[touch]["atomic_whole_sectors"]
        begins, last, free = l2_atomic(m, line, sectors, whole, addressed, kind["lanes_per_word"], pc, leaves)
        last = max(last, ready)
        is_shared, several = holds(m.shared, line), m.chip[0]["sms"] > 1
        if is_shared or several:
            # As many wait where all slices are busy, as all SMs send at once.
            taken -= int(p["slice_packets"] * p["l2_store_interval"])
        if several and not is_shared:
            free = wait_for_slice(m, waiting(sectors, whole, addressed), begins, l2_slice_of(line))
        elif not is_shared:
            may_wait = p["own_atomic_packets"] if code["is_float"] else p["atomic_packets"]
            free = wait_for_l2(m, addressed, begins, may_wait, l2_slice_of(line))
        hold_port(m, max(taken, free), 0)
        done = max(done, last)
    if code["is_store"]:
        sm["rid_until"] = max(sm["rid_until"], int(sm["store_port_free"]))
    if code["is_store"] or code["write_barrier"] >= NUM_BARRIERS:
        return leaves + packets, done + way
    # No line of L1 is written with what comes back.
    passes, further = answer_passes(m, kind)
    late += further - p["miss_latency"]
    there = done + way + p["miss_latency"]
    await_data(m, w, pc, there, there, 0, kind["banks"], passes, 1, 1, late)
    return leaves + packets, NEVER


@rule
def send_lanes(m: Model, kind: np.void, at: int) -> int:
    """An atomic's packets take the port to L2; returns when the first leaves.

    What a line has of those that go at once waits for the port in a place of its own.
    """
    places, packets = max(1, kind["atomic_answers"]), kind["atomic_packets"]
    leaves = leave_for_l2(m, packets - (places - 1) * (packets // places), at, 0)
    for _ in range(1, places):
        leave_for_l2(m, packets // places, at, 0)
    return leaves


@rule
def answer_passes(m: Model, kind: np.void) -> tuple[int, int]:
    """The passes of what comes back of an atomic, and how many are behind the last answer.

    Answers of a word each go up to four together, one from each slice, as the lines do that a load waits for; those of
    lanes that have one bank follow each other.
    """
    wide = kind["wide_answers"]
    turns = looks(kind["atomic_answers"] - wide) + WIDE_ANSWER * wide
    # Of a lane's whole cycles in a bank that others have, too, one is its pass on the way there.
    passes = max(turns, (int(m.params[0]["same_address"]) - 1) * kind["atomic_wavefronts"])
    return passes, passes - turns


@rule
def pass_lanes(m: Model, w: int, access: int, start: int) -> int:
    """An atomic, its tags looked up from ``start`` on, goes through the data stage as a store does.

    It makes a pass for each lane of the bank that most lanes have, behind the passes of what has come from L2. Returns
    when its first packet may leave.
    """
    sm, warp = m.sm[0], m.warps[w]
    kind = m.kinds[m.accesses[access]["kind"]]
    tags = look_up_all(m, w, access, start)
    passes, lasts = kind["atomic_wavefronts"], takes_as_long(m, kind)
    begins, held = begin_lanes(m, kind, lasts, max(tags, warp["storing_until"], warp["loading_until"]))
    cycles = passes * NUM_ROWS
    made = max(begins, sm["load_data_free"])
    begins = write_data(m, passes, cycles, begins)
    read_lanes(m, kind, begins, cycles)
    passed = made + min(cycles, passes + MOST_LATE)
    if lasts:
        sm["lasting_packets"] = kind["atomic_packets"]
        keep_out(m, kind["banks"], begins, begins + cycles)
    else:
        # Behind one of less there is a pause.
        sm["writing_until"] = min(sm["writing_until"], begins)
    # Others hold a bank one after the other, those that last until the last of them has made its passes.
    hold_banks(m, kind["banks"], passed, 0 if lasts else passed - made)
    if held or warp["loading_until"] > tags:
        hold_rows(m, passed)
    # Another atomic of the warp goes right behind it.
    warp["storing_until"], warp["stored_until"] = made + passes + NUM_ROWS * (passes > 1), passed
    return begins - (tags - start)


@rule
def begin_lanes(m: Model, kind: np.void, lasts: bool, ready: int) -> tuple[int, bool]:
    """When an atomic that is ready then begins with its passes, and whether what has come from L2 waits meanwhile.

    That waits for a pause of those that make pass after pass in its banks: one right behind others does not wait.
    """
    sm = m.sm[0]
    is_of_line = kind["end_touch"] - kind["first_touch"] == 1
    in_row = lasts and is_of_line and kind["atomic_wavefronts"] * NUM_ROWS > kind["atomic_packets"]
    free = free_for_lanes(m, ready) if in_row else max(ready, sm["load_data_free"])
    keeps = lasts and kind["banks"] & sm["writing_banks"] != 0 and awaits_pause(m, free)
    held = keeps and sm["lasting_packets"] > 0
    if held:
        # What waits has one of the rows: in the other one they follow each other.
        free = max(free, sm["writing_until"])
    else:
        ready = passed_until(m, ready)
        free = max(free, ready)
        if keeps:
            free = max(free, sm["writing_until"]) + m.fills[row(m, 0)]["passes"]
    return await_quiet(m, ready, beside_shared(m, free)), held


@rule
def free_for_lanes(m: Model, ready: int) -> int:
    """When what makes pass after pass in a row, each of which sends a packet, may begin that is ready then.

    Two at a time do, by turns. Behind others it begins no sooner than they, and when the port has sent what they have.
    """
    sm = m.sm[0]
    packets = sm["lasting_packets"]
    if packets > 0:
        sent = math.ceil(sm["store_port_free"] - packets * m.params[0]["store_packet_interval"])
    else:
        sent = max(math.ceil(sm["store_port_free"]) + SENT, sm["load_begun"])
    return max(row_free_from(m, ready), sent)


@rule
def takes_as_long(m: Model, kind: np.void) -> bool:
    """Whether an atomic's passes, one every other cycle, take as long as its packets: the next one's follow at once."""
    return kind["atomic_wavefronts"] > 1 and kind["atomic_packets"] <= kind["atomic_wavefronts"] * NUM_ROWS


@rule
def read_lanes(m: Model, kind: np.void, begins: int, cycles: int) -> None:
    """What an atomic sends is read from L1's data behind its passes, as lines of stores are when they leave.

    Lanes of several lines that go each with its address are not. It makes its passes from ``begins`` on.
    Seen on the H100: microbenchmarks ``paired/apart``.
    """
    lines = kind["end_touch"] - kind["first_touch"]
    if kind["atomic_packets"] == lines and lines > 1:
        return
    for touch in range(kind["first_touch"], kind["end_touch"]):
        at = begins + cycles * (touch - kind["first_touch"]) // lines + READ_BEHIND
        read_sectors(m, m.touches[touch], at, False)
