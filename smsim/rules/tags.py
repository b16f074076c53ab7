"""Which lines L1 holds: sets of ways, and a hand that keeps lines free where shared memory leaves less room than tags.

A line's set is drawn from its number; the tag stage has a slice for every quarter of the sets. A line that is loaded
or stored again belongs to the upper half of its set's ways, which give up none as long as the lower half has one: new
lines come into the lower half, and so does the one that was used longest ago when another enters the upper half
(:mod:`smsim.rules.replacement`).
A line that loads wait for may lose its way, but its data keep their place until loads have them: L1 waits for as many
lines as it has room for, those that the hand keeps free included.
Seen on the H100: microbenchmarks ``tags`` and ``l1/walk``, ``awaited``; the hand: 34 orders of 6,000 loads by one warp
in 28 to 240 KB, of which 0.3 to 3 %, in 28 KB 8 %, hit or miss otherwise here.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.replacement import bring, last_way, move, put_last, use_again
from smsim.rules.rule import apart, rule
from smsim.state.sizes import FIRST_LOCAL_LINE, FREE_LINES, MAX_AWAITED_LINES, NEVER, NOT_KEPT, NUM_SLICES

# Each bit of a line's number, of the lowest 19 (64 MB), flips these bits of its set's: the upper two are its slice.
HASHED_BITS = 19
SET_BITS = 9
SET_MASKS = (0x000D8, 0x31827, 0x27CE2, 0x1A705, 0x17B12, 0x1E5D4, 0x16075, 0x5AF6F, 0x77AB5)
FREED_LINES = 5  # by the hand at a time


def _sets(first_bit: int, bits: int) -> np.ndarray:
    """The bits of a set's number that so many bits of a line's number give, by their value."""
    values = np.arange(1 << bits) << first_bit
    parities = [np.bitwise_count(values & mask) & 1 for mask in SET_MASKS]
    return sum(np.int64(1 << bit) * parity for bit, parity in enumerate(parities)).astype(np.int64)


LOW_BITS = 10
LOW_SETS = _sets(0, LOW_BITS)
HIGH_SETS = _sets(LOW_BITS, HASHED_BITS - LOW_BITS)


@rule
def hashed(line: int) -> int:
    """The set of a line, of those that an H100 has."""
    bits = line ^ line >> HASHED_BITS ^ line >> 2 * HASHED_BITS
    return LOW_SETS[bits & (1 << LOW_BITS) - 1] ^ HIGH_SETS[bits >> LOW_BITS & (1 << HASHED_BITS - LOW_BITS) - 1]


@rule
def tag_slice_of(line: int) -> int:
    """The slice of the tag stage that looks a line up, and that may hold it."""
    return hashed(line) >> SET_BITS - 2


@rule
def l1_set_of(m: Model, line: int) -> int:
    """The set of a line, of those that this L1 has."""
    number, sets = hashed(line), m.params[0]["l1_sets"]
    return number if sets == 1 << SET_BITS else (number + (line >> SET_BITS << SET_BITS)) % sets


@rule
def slice_of_set(m: Model, number: int) -> int:
    """The slice that has a set."""
    return number * NUM_SLICES // m.params[0]["l1_sets"]


@rule
def holding(m: Model, line: int) -> int:
    """The way of its set that holds the line; -1 for none."""
    return way_with(m, l1_set_of(m, line), line)


@rule
def way_with(m: Model, number: int, line: int) -> int:
    """The way of a set that holds a line; -1 for none."""
    ways, found = m.l1_ways[number], -1
    for way in range(len(ways)):
        found = way if ways[way]["tag"] == line else found
    return found


@rule
def touch_line(m: Model, line: int, hint: int, at: int) -> tuple[int, int]:
    """A load or store touches a line: L1 has a way for it from then on, in the order in which its set gives up lines.

    Lines that loads wait for stay while others can go. Returns the way, and when there is one, from ``at`` on.
    """
    number, way = l1_set_of(m, line), holding(m, line)
    ways = m.l1_ways[number]
    if way >= 0 and ways[way]["hint"] != NOT_KEPT:
        use_again(m, number, way, hint)
        return way, at
    was_empty = False
    if way < 0:
        way = given_up(m, number, at)
        was_empty = ways[way]["tag"] < 0
        awaited_until = free_from(m, number, way, at)
        if was_empty or awaited_until > at:
            slice_ = slice_of_set(m, number)
            if m.sm[0]["slice_lines"][slice_] >= m.params[0]["l1_room"]:
                at = free_lines(m, slice_, at)
            m.sm[0]["slice_lines"][slice_] += 1
            if not was_empty:
                keep_data(m, slice_, awaited_until)
        if not was_empty:
            put_last(m, number, way)
        ways[way]["tag"] = line
        forget(m, number, way)
    elif ways[way]["held_until"] <= at:
        forget(m, number, way)
    bring(m, number, way, was_empty, hint)
    return way, at


@rule
def forget(m: Model, number: int, way: int) -> None:
    """A way of a set has no data of its line, and nothing waits for any."""
    m.l1_ways[number, way]["held_until"] = 0
    m.l1_ways[number, way]["sent_until"] = 0
    m.l1[number, way]["ready"][:] = -1
    m.l1[number, way]["awaited_by"][:] = 0


@rule
def keep_data(m: Model, slice_: int, until: int) -> None:
    """A slice gives up a line that loads wait for: another has its way, but not the place of its data before then."""
    sm = m.sm[0]
    lines = sm["awaited_lines"][slice_]
    if lines == MAX_AWAITED_LINES:
        sm["slice_lines"][slice_] -= 1
        return
    sm["awaited_until"][slice_, lines] = until
    sm["awaited_lines"][slice_] += 1


@rule
def drop_data(m: Model, slice_: int, at: int) -> int:
    """The places of such data are free that loads have by then; returns how many."""
    sm, kept = m.sm[0], 0
    until, lines = sm["awaited_until"][slice_], sm["awaited_lines"][slice_]
    for i in range(lines):
        if until[i] > at:
            until[kept] = until[i]
            kept += 1
    sm["awaited_lines"][slice_] = kept
    sm["slice_lines"][slice_] -= lines - kept
    return int(lines - kept)


@rule
def given_up(m: Model, number: int, at: int) -> int:
    """The way that a set gives up for another line: the last that no load waits for, else the first to be free."""
    ways = m.l1_ways[number]
    chosen = last_way(ways)
    free = free_from(m, number, chosen, at)
    if free > at:
        for way in range(len(ways)):
            other = free_from(m, number, way, at)
            if other < free or (other == free and ways[way]["order"] > ways[chosen]["order"]):
                chosen, free = way, other
    return chosen


@rule
def free_from(m: Model, number: int, way: int, at: int) -> int:
    """When, from ``at`` on, no load waits for what a way of a set holds."""
    held = m.l1_ways[number, way]
    return max(at, held["held_until"]) if held["tag"] >= 0 else at


@apart
def free_lines(m: Model, slice_: int, at: int) -> int:
    """The hand goes around the slice's sets, and each gives up a line, until enough are free.

    Returns when one is free, from ``at`` on.
    """
    sm, sets = m.sm[0], m.params[0]["l1_sets"]
    first, end = -(-slice_ * sets // NUM_SLICES), -(-(slice_ + 1) * sets // NUM_SLICES)
    if drop_data(m, slice_, at) > 0:
        return at
    wanted, passed = min(FREED_LINES, sm["slice_lines"][slice_]), 0
    while wanted > 0:
        number = first + sm["hand"][slice_]
        freed = drop_line(m, number, at)
        sm["slice_lines"][slice_] -= freed
        wanted -= freed
        sm["hand"][slice_] = around(number + 1 - first, end - first)
        passed += 1
        if passed == end - first:
            if sm["slice_lines"][slice_] < m.params[0]["l1_room"] + FREE_LINES:
                return at
            at, passed = first_free(m, first, end), 0
            for i in range(sm["awaited_lines"][slice_]):
                at = min(at, sm["awaited_until"][slice_, i])
            if drop_data(m, slice_, at) > 0:
                return at
    return at


@rule
def first_free(m: Model, first: int, end: int) -> int:
    """When some sets have a line that no load waits for any more."""
    at = NEVER
    for number in range(first, end):
        for way in range(m.l1_ways.shape[1]):
            if m.l1_ways[number, way]["tag"] >= 0:
                at = min(at, m.l1_ways[number, way]["held_until"])
    return at


@rule
def drop_line(m: Model, number: int, at: int) -> int:
    """A set gives up the last of its lines that no load waits for; returns how many: 0 where it has none."""
    ways, last = m.l1_ways[number], -1
    for way in range(len(ways)):
        is_next = ways[way]["tag"] >= 0 and (last < 0 or ways[way]["order"] > ways[last]["order"])
        if is_next and ways[way]["held_until"] <= at:
            last = way
    if last < 0:
        return 0
    ways[last]["tag"] = -1
    put_last(m, number, last)
    return 1


@rule
def empty_l1(m: Model) -> None:
    """Forget all lines of global memory; local memory stays."""
    for number in range(len(m.l1_ways)):
        ways, kept = m.l1_ways[number], 0
        for place in range(len(ways)):
            for way in range(len(ways)):
                if ways[way]["order"] == place and ways[way]["tag"] >= 0:
                    if ways[way]["tag"] < FIRST_LOCAL_LINE:
                        ways[way]["tag"] = -1
                        m.sm[0]["slice_lines"][slice_of_set(m, number)] -= 1
                    else:
                        move(ways, way, kept)
                        kept += 1
                    break
        m.l1_again[number] = min(m.l1_again[number], kept)
