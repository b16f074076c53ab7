"""LDC: the SM's cache for it, and what waits for that cache's lines.

An LDC looks for the lines of its words one after the other, a pass each. At the first that is not there it waits, comes
again when that is, and goes on from there; meanwhile others look for theirs.
Seen on the H100: microbenchmarks ``constants/LDC``, ``module_constants/LDC3.R`` and ``indexed``.
"""

from smsim.model import Model
from smsim.rules.bits import first_free
from smsim.rules.constants import asked_of_gcc, in_gcc, keep, line_of_constants, one_comes
from smsim.rules.rule import apart, rule
from smsim.state.sizes import LDC_CACHE, NEVER

# LDCs by index that come again do so as many cycles further apart: ``module_constants/LDC3.R, warps together``.
INDEXED_LATER = 1
# One that comes again takes its cycles of the ADU so much before the time that its result tells.
SOONER = 4
HOLDS = 17  # cycles from an LDC that finds its lines until its place is free


@apart
def misses_line(m: Model, w: int, pc: int, access: int, begins: int, done: int) -> bool:
    """The ADU begins with an LDC, ``done`` if all its lines are there; whether it waits for one, and ends later."""
    sm = m.sm[0]
    number = sm["late_ldcs"]
    ldc = m.late_ldcs[number]
    ldc["warp"], ldc["pc"], ldc["access"] = w, pc, access
    ldc["place"], ldc["line"] = 0, -1
    ldc["at"], ldc["done"] = begins, done
    ldc["again"], ldc["gone"] = begins, begins
    holds = first_ldc_place(m)
    ldc["holds"] = holds
    if has_lines(m, number, begins):
        sm["ldc_places"][holds] = begins + HOLDS
        return False
    sm["ldc_places"][holds] = NEVER
    sm["late_ldcs"] = number + 1
    return True


@rule
def first_ldc_place(m: Model) -> int:
    """Of the places for LDCs the one that is free first.

    Seen on an H200: microbenchmarks ``missed``, where the 33rd LDC waits, but two places are free before the first
    ones come again: those of LDCs that have found their line.
    """
    return first_free(m.sm[0]["ldc_places"])


@rule
def has_lines(m: Model, number: int, now: int) -> bool:
    """An LDC looks for its lines until it has them all or has to wait: for one, or for its turn to look for it."""
    ldc = m.late_ldcs[number]
    while True:
        line = next_line(m, number)
        if line < 0:
            return True
        there = m.constants[LDC_CACHE, line]
        if there < 0 or there > now:
            if ldc["at"] > now:
                return False
            place_free = one_comes(m, LDC_CACHE)
            if there < 0 and place_free > now:
                ldc["done"] += place_free - now
                ldc["at"] = place_free
                return False
            again = comes_again(m, number, line, now)
            ldc["done"] += again - now
            ldc["line"] = line
            ldc["at"] = again + m.params[0]["match_latency"]
            return False
        ldc["line"] = line
        ldc["at"] += m.params[0]["match_latency"]


@rule
def next_line(m: Model, number: int) -> int:
    """The next line that an LDC looks for, -1 for none."""
    ldc = m.late_ldcs[number]
    code = m.instructions[ldc["pc"]]
    if not code["is_indexed"]:
        return code["constant_line"] if ldc["line"] < 0 else -1
    kind = m.kinds[m.accesses[ldc["access"]]["kind"]]
    sectors = len(m.touches[kind["first_touch"]]["bytes"])
    while kind["first_touch"] + ldc["place"] // sectors < kind["end_touch"]:
        touch, sector = kind["first_touch"] + ldc["place"] // sectors, ldc["place"] % sectors
        if m.touches[touch]["bytes"][sector] != 0:
            line = line_of_constants(m, ldc["access"], touch, sector)
            if line != ldc["line"]:
                return line
        ldc["place"] += 1
    return -1


@rule
def comes_again(m: Model, number: int, line: int, now: int) -> int:
    """When an LDC comes again that does not find a line now, which is asked for if nobody has.

    The line that the first one misses is there for those that come later sooner than for those that have missed: these
    come again, one behind the other, before what is new. Seen on the H100: microbenchmarks ``constants/LDC, warps
    together``.
    """
    sm, p = m.sm[0], m.params[0]
    if m.constants[LDC_CACHE, line] < 0:
        filled = in_gcc(m, line, asked_of_gcc(m, now)) + p["ldc_fill"]
        keep(m, LDC_CACHE, line, filled, filled + p["ldc_miss"] - p["ldc_fill"])
    again = max(m.constants[LDC_CACHE, line] + p["ldc_miss"] - p["ldc_fill"], sm["ldc_free"])
    ldc = m.late_ldcs[number]
    code = m.instructions[ldc["pc"]]
    sm["ldc_free"] = again + code["sm_interval"] + (INDEXED_LATER if code["is_indexed"] else 0)
    ldc["again"], ldc["gone"] = again, sm["ldc_free"]
    return int(again)


@rule
def between_late_ldcs(m: Model, begins: int) -> int:
    """When, from ``begins`` on, the ADU can begin with what is new: it goes between those that come again.

    Seen on the H100: microbenchmarks ``prologues/LDC of two lines`` by 24 and 32 warps, ``beginnings``; on an H200:
    ``missed``.
    """
    number, last = 0, m.sm[0]["late_ldcs"]
    while number < last:
        ldc = m.late_ldcs[number]
        number += 1
        if ldc["again"] - SOONER <= begins < ldc["gone"] - SOONER:
            begins, number = ldc["gone"] - SOONER, 0
    return begins


@rule
def next_late_ldc(m: Model) -> int:
    """When the first of the LDCs that wait looks for a line, ``NEVER`` if none does."""
    at = NEVER
    for number in range(m.sm[0]["late_ldcs"]):
        at = min(at, m.late_ldcs[number]["at"])
    return at
