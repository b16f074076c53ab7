"""Sectors of which L2 has no more than what was stored to them, a part: it reads the rest from DRAM at some time.

It does when they are loaded, when they are written back, and from the oldest line on where too many lines are so; not
if what is stored later completes them. Seen on the H100: bytes that DRAM reads for stores of words 32 to 512 bytes
apart (``strided``), all but those of an eighth of L2's lines; none for words that complete each other at once.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import lowest, number_of
from smsim.rules.dram import dram_fill
from smsim.rules.rule import apart, rule
from smsim.rules.side_by_side import where_largest
from smsim.state.l2 import L2_WAYS


@rule
def store_part(m: Model, place: int, sectors: int, written: np.ndarray, whole: int) -> int:
    """Store bytes (bit masks, by sector) to sectors that L2 lacks; returns those of which it lacks some bytes still.

    ``whole``: the bit mask of a whole sector.
    """
    part = m.l2_parts[place]
    for sector in range(len(written)):
        if sectors >> sector & 1:
            before = part["bytes"][sector] if part["sectors"] >> sector & 1 else 0
            part["bytes"][sector] = before | written[sector]
            if part["bytes"][sector] == whole:
                sectors -= 1 << sector
                part["sectors"] &= ~(1 << sector)
    part["sectors"] |= sectors
    note(m, place)
    return sectors


@rule
def note(m: Model, place: int) -> None:
    """Note with its set whether the line in a place has sectors in part."""
    held, way = m.l2_sets[place // L2_WAYS], place % L2_WAYS
    held["partial"] = held["partial"] & ~(1 << way) | (m.l2_parts[place]["sectors"] != 0) << way


@rule
def is_partial(m: Model, place: int) -> bool:
    """Whether the line in a place has sectors in part."""
    return m.l2_sets[place // L2_WAYS]["partial"] >> place % L2_WAYS & 1 != 0


@rule
def complete(m: Model, place: int, sectors: int) -> None:
    """L2 has all of some sectors of the line in a place."""
    if is_partial(m, place):
        m.l2_parts[place]["sectors"] &= ~sectors
        note(m, place)


@rule
def fill_oldest(m: Model, number: int, at: int) -> int:
    """Fill the oldest line of a set with too many that have sectors in part; returns when that is on its way."""
    ways = m.l2_sets[number]["partial"]
    if number_of(ways) <= m.params[0]["l2_partial_ways"]:
        return at
    return fill(m, number * L2_WAYS + lowest(where_largest(m.l2_sets[number]["order"], ways)), at)


@apart
def fill(m: Model, place: int, at: int) -> int:
    """Read from DRAM what the line in a place has in part; returns when that is on its way."""
    sectors = m.l2_parts[place]["sectors"]
    m.l2[place]["sectors"] |= sectors
    complete(m, place, sectors)
    return max(at, dram_fill(m, number_of(sectors), at) - m.params[0]["dram_latency"])
