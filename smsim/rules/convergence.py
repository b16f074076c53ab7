"""The convergence unit, one for the SM's four SMSPs: it enters barriers, joins, and picks who of a parted warp goes on.

The lanes that the last branch parted from those that went on are at hand when these have to wait. Whoever else goes on
has to be looked for among the warp's lanes, which takes longer.
Seen on the H100: microbenchmarks ``branches``, and ``rare``, rows of YIELD and BMOV.
"""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def turn(m: Model, cycles: int, now: int) -> int:
    """The unit takes an instruction that keeps it busy for so many cycles; returns how long that has to wait."""
    sm = m.sm[0]
    at = max(now, sm["convergence_free"])
    sm["convergence_free"] = at + cycles
    return int(at - now)


@rule
def has_parted(m: Model, w: int, lanes: int) -> bool:
    """Whether only some of the ``lanes`` that have executed an instruction go on."""
    mask = m.warps[w]["mask"]
    return mask != lanes and mask & ~lanes == 0


@rule
def has_brought(m: Model, w: int, lanes: int) -> bool:
    """Whether lanes go on that are not among the ``lanes`` that have executed an instruction."""
    return lanes != 0 and m.warps[w]["mask"] & ~lanes != 0


@rule
def has_switched(m: Model, w: int, lanes: int) -> bool:
    """Whether none of the ``lanes`` that have executed an instruction goes on."""
    return lanes != 0 and m.warps[w]["mask"] & lanes == 0


@rule
def keep_sibling(m: Model, w: int, lanes: int, parts: bool) -> None:
    """After an instruction of ``lanes``: which other lanes are at hand; ``parts`` if it can send lanes elsewhere."""
    warp = m.warps[w]
    if has_switched(m, w, lanes):
        warp["sibling"] = 0
    elif parts and lanes != 0 and has_parted(m, w, lanes):
        warp["sibling"] = lanes & ~warp["mask"]
