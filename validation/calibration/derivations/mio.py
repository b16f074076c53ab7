"""The MIO: places in front of the LSU's data stage, and what the values of a MATCH.ANY cost."""

from typing import Any

from .question import Question


def waiting_places(question: Question) -> list[float]:
    """Instructions of the whole SM that wait for the data stage when all queues are full.

    A timeline of clocks, one behind each instruction of a row. The last one issues when its SMSP's queue (path
    ``queue``) has a place again; one more is on the path. Of those before, the data stage has begun with as many as
    have followed the first, which is there when its sources are read (path ``read``), at the row's last interval.
    """
    (program,) = question.rule.programs
    behind = question.value(question.rule.arguments["queue"]) + 1
    read = question.value(question.rule.arguments["read"])
    lead = question.rule.number("lead")
    return [sum(_waiting(warp, lead + read, behind) for warp in warps) for warps in question.repeats(program)]


def _waiting(clocks: list[int], first_begins: float, behind: float) -> float:
    """What one SMSP's row has in the data stage's queue; the clocks stand one cycle behind the instructions."""
    interval = clocks[-1] - clocks[-2]
    begun = (clocks[-1] - 1 - clocks[0] - first_begins) // interval + 1
    return len(clocks) - 1 - begun - behind


def probe_growth(question: Question) -> list[float]:
    """What one more of something costs a probe, the ``probe``-th of its programs; ``n`` as for ``growth``."""
    (pattern,) = question.rule.programs
    few, many = (int(number) for number in question.rule.arguments["n"].split(","))
    probe = int(question.rule.number("probe"))
    cycles = [_probe(question.repeats(pattern.format(number))[-1][0], probe) for number in (few, many)]
    return [(cycles[1] - cycles[0]) / (many - few)]


def _probe(clocks: list[Any], probe: int) -> float:
    """The cycles between the two clocks of a probe."""
    return float(clocks[2 * probe + 1] - clocks[2 * probe])
