"""Loads on their way to L1's tag stage that will hit: an SM of which nothing else is there touches nothing SMs share.

A load hits for certain if L1 has all that it wants when it issues, and all that is on its way then hits for certain,
too: so nothing makes L1 give up a line before. It matters only where SMs are simulated together, and no result depends
on it.
"""

from isa.trace.model import Space
from smsim.model import Model
from smsim.rules.l1 import find_sector, line_of
from smsim.rules.rule import apart, rule
from smsim.rules.tags import l1_set_of, way_with
from smsim.state.sizes import NOT_KEPT

SHARED = int(Space.SHARED)
UNCERTAIN = -1


@rule
def all_hit(m: Model) -> bool:
    """Whether all local and global accesses on their way hit for certain, and none waits for L2."""
    sm = m.sm[0]
    return sm["l1tex_count"] + sm["l1_waiting"] + sm["fills"] == sm["certain"]


@apart
def certainty_of(m: Model, w: int, pc: int, access: int) -> int:
    """An access issues: the number of what is certain by now if it is among that, else UNCERTAIN."""
    code, sm = m.instructions[pc], m.sm[0]
    if m.chip[0]["sms"] == 1 or access < 0 or not all_hit(m):
        return UNCERTAIN
    if code["is_store"] or code["is_atomic"] or code["is_copy"] or code["passes_l1"] or not has_all(m, w, access):
        return UNCERTAIN
    sm["certain"] += 1
    return int(sm["certainty"])


@rule
def has_all(m: Model, w: int, access: int) -> bool:
    """Whether L1 has all that a load wants, which does not go to shared memory instead: that comes to no tags."""
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] == SHARED:
        return False
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        number = l1_set_of(m, line)
        way, wanted = way_with(m, number, line), m.touches[touch]["bytes"]
        if way < 0 or m.l1_ways[number, way]["hint"] == NOT_KEPT:
            return False
        for sector in range(len(wanted)):
            if wanted[sector] != 0 and not find_sector(m, number, way, sector, wanted[sector])[1]:
                return False
    return True


@rule
def look_up_certain(m: Model, certainty: int) -> None:
    """An access comes to the tag stage: one that was not certain may have made L1 give up what others want."""
    if certainty == m.sm[0]["certainty"]:
        m.sm[0]["certain"] -= 1
    else:
        doubt(m)


@rule
def doubt(m: Model) -> None:
    """L1 may have given up what those on their way want."""
    if m.sm[0]["certain"] > 0:
        m.sm[0]["certain"] = 0
        m.sm[0]["certainty"] += 1
