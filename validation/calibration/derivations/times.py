"""Latencies and other times of single instructions."""

from collections.abc import Mapping
from statistics import mean, median
from typing import Any

from .. import analyse
from ..errors import CalibrationError
from .question import Question, spread_apart


def cycles(question: Question) -> list[float]:
    """The time between the clock reads of one program, per ``per``, less ``less``."""
    (program,) = question.rule.programs
    per, less = question.rule.number("per", 1), question.rule.number("less", 0)
    return [time / per - less for time in question.elapsed(program)]


def difference(question: Question) -> list[float]:
    """The time of the first program less that of the second, and less the path ``less`` where there is one."""
    with_it, without = question.rule.programs
    path = question.rule.arguments.get("less", "")
    less = question.value(path) if path else 0
    return [cycles - less for cycles in spread_apart(question.elapsed(with_it), question.elapsed(without))]


def growth(question: Question) -> list[float]:
    """What one more of something costs: ``n=A,B`` gives the numbers, which stand in the program's name for ``{}``."""
    (pattern,) = question.rule.programs
    few, many = (int(number) for number in question.rule.arguments["n"].split(","))
    more = spread_apart(question.elapsed(pattern.format(many)), question.elapsed(pattern.format(few)))
    return [question.rule.number("times", 1) * cycles / (many - few) for cycles in more]


def least_distance(question: Question) -> list[float]:
    """The least issue distance from which on a reader sees the new value, of each writer and reader."""
    return [
        distance
        for pattern in question.rule.programs
        for name in question.matching(pattern)
        for distance in (_least_distance(question, name),)
    ]


def forwarding(question: Question) -> list[float]:
    """The least distance of any pair of two latency classes, less the writer's latency (path ``latency``).

    The pairs' programs are looked up in each of ``families``, which stands in their names for ``{}``. A program whose
    reader gives the same result for the old and for the new value says nothing.
    """
    distances = []
    for family in question.rule.arguments["families"].split(","):
        recorded = question.recordings.recording(family)["programs"]
        for name in (program.format(family) for program in question.rule.programs):
            if name in recorded and _tells(recorded[name]):
                distances.append(_known_distance(name, recorded[name]))
    if not distances:
        raise CalibrationError(f"{question.rule.path}: no program of these two classes was recorded")
    return [min(distances) - question.value(question.rule.arguments["latency"])]


def _tells(program: Mapping[str, Any]) -> bool:
    """Whether the reader's results of the old and of the new value differ."""
    return all(seen[-1] != "o" for repeats in program["launches"].values() for seen in repeats)


def _least_distance(question: Question, program: str) -> float:
    return _known_distance(program, question.recordings.programs(question.rule.family, program)[program])


def _known_distance(name: str, program: Mapping[str, Any]) -> float:
    distance = analyse.least_distance(program)
    if distance is None:
        raise CalibrationError(f"{name}: the reader never saw the new value")
    return distance


def pairs(question: Question) -> list[float]:
    """The mean, over SMs and lines, of scans of single accesses, less the path ``less``."""
    return [mean(_scanned(question)) - question.value(question.rule.arguments["less"])]


def spread_of_pairs(question: Question) -> list[float]:
    """From an SM's fastest to its slowest line in scans of single accesses, without the 1 % at each end: the mean."""
    names = [name for pattern in question.rule.programs for name in question.matching(pattern)]
    lines = zip(*[question.repeats(name) for name in names], strict=True)
    by_sm = [sorted(cycles for part in parts for cycles in part) for parts in lines]
    return [mean(one[len(one) * 99 // 100] - one[len(one) // 100] for one in by_sm)]


def two_kinds_of_pairs(question: Question) -> list[float]:
    """How far apart the fast and the slow half of scans of single accesses are, by their medians."""
    samples = _scanned(question)
    middle = (min(samples) + max(samples)) / 2
    return [median(s for s in samples if s > middle) - median(s for s in samples if s <= middle)]


def _scanned(question: Question) -> list[float]:
    return [
        cycles - question.meta(name)["lead"]
        for pattern in question.rule.programs
        for name in question.matching(pattern)
        for warp in question.repeats(name)
        for cycles in warp
    ]


def first_touch(question: Question) -> list[float]:
    """Between each pair of clock reads, the first time less a later time; ``skip`` pairs are touched by the set-up."""
    first, later = (_pairs(question, program) for program in question.rule.programs)
    skip = int(question.rule.number("skip", 0))
    return [a - b for a, b in zip(first[skip:], later[skip:], strict=True)]


def _pairs(question: Question, program: str) -> list[int]:
    clocks = question.repeats(program)[0][0]
    return [b - a for a, b in zip(clocks[::2], clocks[1::2], strict=True)]


def between(question: Question) -> list[float]:
    """From the clock read ``first`` to the clock read ``second`` of a timeline's warp, less ``lead``."""
    (program,) = question.rule.programs
    first, second = int(question.rule.number("first")), int(question.rule.number("second"))
    return [repeat[0][second] - repeat[0][first] - question.rule.number("lead") for repeat in question.repeats(program)]
