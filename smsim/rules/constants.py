"""Constants: an SMSP's cache of operands, the SM's of LDC, behind both the GCC, which has those of the launch, c[0x0].

What the module declares the GCC asks L2 for, in lines of its own, at their first touch in a launch.
Seen on the H100: microbenchmarks ``constants``, ``crowded`` and ``module_constants``.
"""

from smsim.model import Model
from smsim.rules.bits import first_free, lowest
from smsim.rules.dispatch import constants_asked_at
from smsim.rules.frontend import resume
from smsim.rules.rule import rule
from smsim.rules.select import keenest
from smsim.state.sizes import GCC_CONSTANTS, NUM_SMSPS

BANK_BYTES = 1 << 16
# What comes with the launch and its code: its constants, and tables of where to go on. Other banks hold the module's.
LAUNCH, TABLES = 0, 2
# So many cycles before the constants are there the instruction that missed them is fetched again.
FETCHED_AGAIN = 12


@rule
def constants_until(m: Model, w: int, now: int) -> int:
    """Until when the warp waits for constants that its instruction has missed.

    Warps that wait go on one after the other, as they would be picked when they fetch it again: microbenchmarks
    ``constants/ULDC, warps together`` of one SMSP.
    """
    until = m.warps[w]["constant_until"]
    if until - FETCHED_AGAIN <= now < until:
        give_turns(m, w % NUM_SMSPS, until, now)
    return m.warps[w]["constant_until"]


@rule
def give_turns(m: Model, smsp: int, there: int, now: int) -> None:
    """Each of the SMSP's warps that wait for constants that come ``there`` has a turn."""
    state = m.smsps[smsp]
    waiting, awaits = 0, state["awaits_constants"]
    while awaits != 0:
        slot = lowest(awaits)
        awaits &= awaits - 1
        waiting |= (m.warps[slot * NUM_SMSPS + smsp]["constant_until"] == there) << slot
    state["awaits_constants"] &= ~waiting
    while waiting != 0:
        w = keenest(m, smsp, waiting, -1, now)
        waiting &= ~(1 << w // NUM_SMSPS)
        ready = max(there, state["constants_turn"])
        state["constants_turn"] = ready + m.params[0]["constant_interval"]
        m.warps[w]["constant_until"] = ready
        resume(m, w, ready + 1)


@rule
def constants_there(m: Model, w: int, now: int) -> int:
    """When the constants of the warp's next instruction, ``c[bank][offset]``, are there; now where it has none."""
    code, warp = m.instructions[m.warps[w]["pc"]], m.warps[w]
    if code["is_ldc"] or (code["constant_line"] < 0 and not code["is_indexed"]):
        return now
    line = code["constant_line"]
    if code["is_indexed"]:
        line = line_of_constants(m, warp["access"], m.kinds[m.accesses[warp["access"]]["kind"]]["first_touch"], 0)
    return operand_constant_ready(m, w % NUM_SMSPS, line, now)


@rule
def operand_constant_ready(m: Model, smsp: int, line: int, now: int) -> int:
    """When an SMSP's cache of operands has a line; it starts every launch empty, and is served in turn with the others.

    A stop of issue on its way to the dispatcher comes before what asks for it: ``touched/*, stopped``.
    Seen on the H100: microbenchmarks ``constants``, warps together of 2 and 4 of the SM. The SM's first line comes
    later, in the mean of ncu's runs, by what grows with the kernel's code: its counters of ``random_registers``.
    """
    if m.constants[smsp, line] < 0:
        sm, p = m.sm[0], m.params[0]
        asked = max(constants_asked_at(m, smsp, now), sm["constants_free"], one_comes(m, smsp)) + sm["constants_late"]
        sm["constants_late"] = 0
        sm["constants_free"] = asked + p["constant_interval"] + p["constants_of_others"]
        there = in_gcc(m, line, asked) + p["constant_miss"]
        keep(m, smsp, line, there, there)
    return max(now, m.constants[smsp, line])


@rule
def one_comes(m: Model, cache: int) -> int:
    """When the first comes of the lines that a cache of constants waits for, of which there are so many at most.

    Seen on the H100: microbenchmarks ``module_constants/* each warp its own line``.
    """
    coming = m.constants_coming[cache]
    first = coming[0]
    for i in range(1, len(coming)):
        first = min(first, coming[i])
    return first


@rule
def keep(m: Model, cache: int, line: int, there: int, until: int) -> None:
    """A line comes to a cache of constants, which waits ``until`` then, in the place of the oldest of its set.

    Seen on the H100: microbenchmarks ``module_constants/* lines``.
    """
    coming, places, p = m.constants_coming[cache], m.constant_places[cache], m.params[0]
    coming[first_free(coming)] = until
    first = line % p["constant_sets"] * p["constant_ways"]
    last = first + p["constant_ways"] - 1
    if places[first] >= 0:
        m.constants[cache, places[first]] = -1
    for place in range(first, last):
        places[place] = places[place + 1]
    places[last] = line
    m.constants[cache, line] = there


@rule
def asked_of_gcc(m: Model, now: int) -> int:
    """When the GCC takes an LDC's request for a line: where other SMs ask, too, each has its turn.

    Seen on the H100: microbenchmarks ``crowded``.
    """
    sm, others = m.sm[0], m.params[0]["constants_of_others"]
    if others == 0:
        return now
    asked = max(now, sm["constants_free"])
    sm["constants_free"] = asked + others
    return int(asked)


@rule
def in_gcc(m: Model, line: int, asked: int) -> int:
    """When the GCC can give a line that it is asked for; those who wait for the same of its lines get it in turn."""
    p = m.params[0]
    byte = line * p["constant_line_bytes"]
    if byte // BANK_BYTES in (LAUNCH, TABLES):
        return asked
    own = byte // p["module_constant_bytes"]
    if m.constants[GCC_CONSTANTS, own] < 0:
        m.constants[GCC_CONSTANTS, own] = asked + p["module_constant_miss"]
    there = m.constants[GCC_CONSTANTS, own]
    if there <= asked:
        return asked
    m.constants[GCC_CONSTANTS, own] = there + p["constant_interval"]
    return int(there)


@rule
def line_of_constants(m: Model, access: int, touch: int, sector: int) -> int:
    """The line of constants in which a sector lies, or the next one, that an access by index touches."""
    p, touched = m.params[0], m.touches[touch]["bytes"]
    while sector + 1 < len(touched) and touched[sector] == 0:
        sector += 1
    first = (m.accesses[access]["line"] + m.touches[touch]["delta"]) * len(touched)
    return int((first + sector) * p["sector_bytes"] // p["constant_line_bytes"])
