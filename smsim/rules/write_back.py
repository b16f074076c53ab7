"""Registers that loads write: one a cycle, a 32-bit word of all the warp's lanes.

A load that finds some lanes' words in L1 and has the others' from L2 writes each of its registers twice, whatever lanes
have words for it then. Where that takes longer than all its passes L1's data stage waits, but for stores to shared
memory. Seen on an H200: microbenchmarks ``partial_hits``.
"""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def await_registers(m: Model, registers: int, passes: int, waiting: int) -> tuple[int, int]:
    """A load makes passes at once and others that wait for L2; returns both with the cycles in which L1 waits.

    ``registers``: so many does it write, each time.
    """
    if passes == 0 or waiting == 0:
        return passes, waiting
    further = max(0, 2 * registers - passes - waiting)
    at_once = min(further, max(0, registers - passes))
    m.sm[0]["only_written"] = min(m.sm[0]["only_written"] + further, 2 * registers)
    return passes + at_once, waiting + further - at_once


@rule
def go_between(m: Model, passes: int, now: int) -> int:
    """A store to shared memory begins with so many passes; returns for how many of them L1 has to make way."""
    sm = m.sm[0]
    if sm["load_data_free"] <= now and sm["fill_free"] <= now:
        sm["only_written"] = 0
    between = min(passes, sm["only_written"])
    sm["only_written"] -= between
    return passes - between
