"""Loads through L1: words that it holds make their passes at once, those that wait for L2 when they have come.

Seen on the H100: microbenchmarks ``misses``, ``scattered``, ``fills``, ``l1``, ``memory``, ``room`` and
``columns``.
"""

import math

import numpy as np

from smsim.model import Model
from smsim.rules.data_banks import banks_free
from smsim.rules.data_stage import (
    await_data,
    free_for_hits,
    is_beside_shared,
    let_fills_pass,
    make_passes,
    next_number,
    turn_of_fills,
)
from smsim.rules.fill_order import is_behind_its_warp
from smsim.rules.foresight import foresee_lines
from smsim.rules.l1 import (
    await_sectors,
    count,
    fetch_sectors,
    find_sector,
    forget_arrived,
    let_overtake,
    line_of,
    look_up,
    looks,
    take_queue,
)
from smsim.rules.passes import note_look, passes_at_once, passes_that_wait, turns_that_wait
from smsim.rules.port import left, request
from smsim.rules.room import await_room, begin_turns, turn_of
from smsim.rules.rows import begin_load, begin_part
from smsim.rules.rule import apart, rule
from smsim.rules.stores import let_none_join, pass_none, send_idle
from smsim.rules.tags import holding, l1_set_of, tag_slice_of, touch_line
from smsim.rules.write_back import await_registers
from smsim.state.sizes import NEVER, NUM_SLICES

PART_LOOKS = 2  # cycles from when four lines are looked up to the next four, while a store's wait for places


@apart
def load(m: Model, w: int, pc: int, access: int, start: int, late: int) -> int:
    """A load whose tags are looked up from ``start`` on; the warp has its data ``late`` cycles behind their first pass.

    Returns when one that hits, alone, would have begun; NEVER when it waits for L2.
    """
    sm, warp, p = m.sm[0], m.warps[w], m.params[0]
    kind = m.kinds[m.accesses[access]["kind"]]
    take_queue(m, 1, start)
    let_overtake(m, 1, start)
    lines = kind["end_touch"] - kind["first_touch"]
    send_idle(m, start)
    tags, there, away, asked = ask(m, w, pc, access, start)
    ready = banks_free(m, kind["banks"], tags) if kind["wavefronts"] > 1 else tags
    begins, in_row = max(ready, free_for_hits(m, tags)), not is_beside_shared(m, tags)
    # As many requests as store lines wait for the port.
    sm["tag_free"] = max(start + looks(lines), tags + 1)
    if asked > 0:
        sm["tag_free"] = max(sm["tag_free"], left(m, p["store_queue_lines"]))
    if away > 0 or not in_row:
        sm["tag_free"] = max(sm["tag_free"], begins)
    passes, waiting, turns, further = kind["wavefronts"], 0, 0, 0
    if away > 0:
        first, end = kind["first_touch"], kind["end_touch"]
        passes = passes_at_once(m, first, first, end, kind["groups"]) if away < lines else 0
        # Lines that go together make a pass as they come, beside shared memory one turn after the other.
        waiting, turns, further = passes_that_wait(m, first, end, kind["groups"])
        passes, waiting = await_registers(m, kind["groups"], passes, waiting)
    if passes > 0:
        turn = turn_of_fills(m)
        if turn > 0:
            let_fills_pass(m, turn)
            ready = begins
        make_passes(m, begins, passes, not in_row)
        if in_row:
            if away == 0:
                # A warp's accesses make their passes one after the other; others' go between, but for a lone store's.
                ready = max(ready, behind_its_warp(m, w))
            if away == 0 and lines > NUM_SLICES and max(start, sm["parts_begun"]) < sm["parts_until"]:
                begins = begin_parts(m, w, start, kind)
            else:
                begins = begin_load(m, ready, start, tags, passes, kind)
        sm["alone_until"] = max(sm["alone_until"], begins + passes * p["conflict_interval"])
    if away > 0:
        sm["lasting_packets"] = 0
        at_once = math.ceil(waiting / max(1, turns))
        turns_waiting = turns_that_wait(m, lines)
        # What others have asked for it has only behind its warp's accesses before it.
        ready = NEVER if asked == 0 and is_behind_its_warp(m, w, next_number(m), there) else there
        await_data(m, w, pc, there, ready, asked, kind["banks"], waiting, at_once, turns_waiting, late + further)
        return NEVER
    if not in_row:
        begins = max(begins, behind_its_warp(m, w))
    warp["loading_until"] = begins + kind["wavefronts"] * p["conflict_interval"]
    sm["alone_until"] = max(sm["alone_until"], warp["loading_until"])
    return begins + (kind["wavefronts"] - kind["least_wavefronts"]) * p["conflict_interval"]


@rule
def behind_its_warp(m: Model, w: int) -> int:
    """When a warp's accesses have made their passes, and a store that began alone its own."""
    return max(m.warps[w]["loading_until"], m.warps[w]["stored_until"], m.sm[0]["alone_passed"])


@rule
def begin_parts(m: Model, w: int, start: int, kind: np.void) -> int:
    """A load of hits whose first lines are looked up while a store's lines wait for places, four at a time.

    Each four make their passes by themselves, in either row, but with those before if that takes no more, and so do all
    that are looked up behind. Returns when it would have begun to be done as it is.
    Seen on the H200: microbenchmarks ``other_banks``.
    """
    sm, interval = m.sm[0], m.params[0]["conflict_interval"]
    ready = max(banks_free(m, kind["banks"], start), behind_its_warp(m, w))
    first, end, passes, done = kind["first_touch"], kind["first_touch"], 0, 0
    start = max(start, sm["parts_begun"])
    while end < kind["end_touch"]:
        before = end
        end = min(end + NUM_SLICES, kind["end_touch"])
        if start >= sm["parts_until"]:
            end = kind["end_touch"]
        together = passes_at_once(m, kind["first_touch"], first, end, kind["groups"])
        if passes > 0 and together > passes:
            sm["parts_begun"] = begin_part(m, max(ready, start - PART_LOOKS), passes, kind)
            done = max(done, sm["parts_begun"] + passes * interval)
            first, together = before, passes_at_once(m, kind["first_touch"], before, end, kind["groups"])
        passes = together
        start += PART_LOOKS if end < kind["end_touch"] else looks(end - before) - 1
    sm["parts_begun"] = begin_part(m, max(ready, start), passes, kind)
    return max(done, sm["parts_begun"] + passes * interval) - kind["wavefronts"] * interval


@rule
def ask(m: Model, w: int, pc: int, access: int, start: int) -> tuple[int, int, int, int]:
    """Look up a load's lines and ask L2 for what L1 lacks; a load that passes L1 finds there what is on its way, alone.

    Returns when the last line was looked up, when all data are there, how many lines are not yet, and for how many
    sectors L2 is asked.
    """
    sm, passes_l1, hint = m.sm[0], m.instructions[pc]["passes_l1"], m.instructions[pc]["l1_hint"]
    kind = m.kinds[m.accesses[access]["kind"]]
    tags, there, sectors, hits, away, asked, behind = start, 0, 0, 0, 0, 0, 0.0
    foresee_lines(m, w, access)
    begin_turns(m, kind["end_touch"] - kind["first_touch"])
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        slice_ = tag_slice_of(line)
        turn, at = turn_of(m, slice_), look_up(m, slice_, start)
        number, (way, free) = l1_set_of(m, line), touch_line(m, line, hint, at)
        if free > at:
            sm["slice_free"][slice_] = free + 1
            at = free
        tags = max(tags, at)
        missing, lacking, comes = 0, 0, 0
        for sector in range(len(m.touches[touch]["bytes"])):
            if m.touches[touch]["bytes"][sector] != 0:
                sectors += 1
                if passes_l1:
                    forget_arrived(m, number, way, sector, at)
                ready, hit = find_sector(m, number, way, sector, m.touches[touch]["bytes"][sector])
                hits += hit
                missing += not hit
                lacking |= (not hit) << sector
                comes = max(comes, ready)
        if missing > 0:
            at = await_room(m, turn, slice_, at)
            tags = max(tags, at)
            if asked == 0:
                behind = pass_none(m, at)
            let_none_join(m, line)
            at = request(m, behind, at)
            asked += missing
            comes = max(comes, fetch_sectors(m, line, touch, number, way, lacking, kind["apart"] != 0, at))
        there = max(there, comes)
        if comes > at:
            away += 1
            await_sectors(m, touch, number, way)
            hold_line(m, number, way, comes)
        note_look(m, touch - kind["first_touch"], slice_, comes > at, max(0, comes - start))
    if away > 0 and kind["end_touch"] - kind["first_touch"] > 1:
        hold_lines(m, w, access, there)
    count(m, kind["space"], False, sectors, hits)
    return tags, there, away, asked


@rule
def hold_line(m: Model, number: int, way: int, until: int) -> None:
    """A load waits until then for the line in a way of a set."""
    held = m.l1_ways[number, way]
    held["held_until"] = max(held["held_until"], until)


@rule
def hold_lines(m: Model, w: int, access: int, until: int) -> None:
    """The lines that a load waits for stay in L1 until all are there."""
    kind = m.kinds[m.accesses[access]["kind"]]
    for touch in range(kind["first_touch"], kind["end_touch"]):
        if m.sm[0]["looked"][touch - kind["first_touch"]] & 1:
            line = line_of(m, w, access, touch)
            way = holding(m, line)
            if way >= 0:
                hold_line(m, l1_set_of(m, line), way, until)
