"""The MIO: places in the LSU, when they come back, and what the values of a MATCH.ANY cost."""

from itertools import pairwise
from typing import Any

from .question import Question

MOST_CYCLES = 64  # a place comes back within so many


def lsu_places(question: Question) -> list[float]:
    """Instructions that the LSU holds when all queues are full, those included whose place has not come back yet."""
    return [float(places) for _, places in _held(question)]


def place_return(question: Question) -> list[float]:
    """Cycles from the data stage's beginning with an instruction until its place is free again."""
    return [float(returns) for returns, _ in _held(question)]


def before_the_wait(question: Question) -> list[float]:
    """Instructions of a row before the first that waits ``long`` cycles: clocks behind all but the first ``before``."""
    (program,) = question.rule.programs
    before, long = question.rule.number("before"), question.rule.number("long")
    counted = []
    for (clocks,) in question.repeats(program):
        steps = [later - earlier for earlier, later in pairwise(clocks[1:])]
        counted.append(before + 1 + next(i for i, step in enumerate(steps) if step >= long))
    return [float(count) for count in counted]


def _held(question: Question) -> list[tuple[int, int]]:
    """When a place comes back, and how many there are, of each pair of repeats.

    Timelines of one warp, a clock behind each instruction of a row; those of different programs take the data stage
    for different times (argument ``intervals``). An instruction that the full queue holds back issues when a place
    comes back. Only one time is as many cycles behind a beginning in all programs, with as many places in each.
    """
    intervals = [int(number) for number in question.rule.arguments["intervals"].split(",")]
    before = int(question.value(question.rule.arguments["queue"])) + 1
    read = int(question.value(question.rule.arguments["read"]))
    programs = [question.repeats(program) for program in question.rule.programs]
    found = []
    for repeats in zip(*programs, strict=False):
        pairs = [
            _possible(clocks[0], read, before, interval) for clocks, interval in zip(repeats, intervals, strict=True)
        ]
        found.append(min(set.intersection(*pairs)))
    return found


def _possible(clocks: list[int], read: int, before: int, interval: int) -> set[tuple[int, int]]:
    """Times and places that explain when the last instruction of a row issued; the clocks stand one cycle behind."""
    issued = [clock - 1 for clock in clocks[1:]]
    last, first_begins = issued[-1], issued[0] + read
    pairs = set()
    for returns in range(MOST_CYCLES):
        since = last - first_begins - returns
        if since >= 0 and since % interval == 0:
            pairs.add((returns, len(issued) - 1 - before - since // interval))
    return pairs


def probe_growth(question: Question) -> list[float]:
    """What one more of something costs a probe, the ``probe``-th of its programs; ``n`` as for ``growth``."""
    (pattern,) = question.rule.programs
    few, many = (int(number) for number in question.rule.arguments["n"].split(","))
    probe = int(question.rule.number("probe"))
    cycles = [_probe(question.repeats(pattern.format(number))[-1][0], probe) for number in (few, many)]
    return [(cycles[1] - cycles[0]) / (many - few)]


def probe_difference(question: Question) -> list[float]:
    """What the ``probe``-th probe of a program takes longer than the ``less``-th, and ``lead`` cycles."""
    (program,) = question.rule.programs
    probe, less = int(question.rule.number("probe")), int(question.rule.number("less"))
    lead = question.rule.number("lead", 0)
    return [_probe(repeat[0], probe) - _probe(repeat[0], less) - lead for repeat in question.repeats(program)]


def _probe(clocks: list[Any], probe: int) -> float:
    """The cycles between the two clocks of a probe."""
    return float(clocks[2 * probe + 1] - clocks[2 * probe])
