"""When banks of DRAM are refreshed: from loads of the same lines, again and again (``refresh``).

A load that comes while its line's bank is refreshed is answered when that is over: the late loads of a line end at the
same time of every refresh.
"""

import numpy as np
from numpy.typing import NDArray

from .question import Question

Cycles = NDArray[np.float64]
_LONGEST, _SHORTEST = 5000, 3000  # cycles from one refresh to the next, as it is looked for
_WIDEST, _NARROWEST = 100, 60  # the same of neighbouring channels
_STEP = 0.5


def refresh(question: Question) -> list[float]:
    """For how long a bank is refreshed: loads that come then are late.

    It is how long before the end of a refresh a late load of a launch comes at most. Late are those slower by ``late``
    cycles than most loads of their line, that end with the line's others, ``near`` so many cycles between them: the
    rest wait for something else, too.
    """
    interval = question.value(question.rule.arguments["interval"])
    least, near = question.rule.number("late"), question.rule.number("near")
    longest = []
    for lines in _launches(question):
        before = [0.0]
        for line in lines:
            ends, late = line[line[:, 1] >= least].T
            until_over = between(ends, time_of_refresh(ends, interval), interval)
            before += (late + until_over)[np.abs(until_over) <= near].tolist()
        longest.append(max(before))
    return longest


def refresh_interval(question: Question) -> list[float]:
    """From one refresh of a bank to the next: the period of the ends of late loads. One sample for each launch."""
    periods = np.arange(_SHORTEST, _LONGEST, _STEP)
    least = question.rule.number("late")
    intervals = []
    for lines in _launches(question):
        strength = sum(np.abs(_turned(line[line[:, 1] >= least, 0], periods).sum(axis=0)) ** 2 for line in lines)
        intervals.append(float(periods[np.argmax(strength)]))
    return intervals


def refresh_turn(question: Question) -> list[float]:
    """From a bank of a channel to the next: ``steps`` of those between what is refreshed at different times.

    The steps are the period of the differences of lines loaded beside each other. One sample for each launch.
    """
    interval = question.value(question.rule.arguments["interval"])
    least, steps = question.rule.number("late"), question.rule.number("steps")
    periods = np.arange(_NARROWEST, _WIDEST, _STEP / 2)
    turns = []
    for lines in _launches(question):
        late = [line[line[:, 1] >= least, 0] for line in lines]
        ends = np.concatenate([time_of_refresh(of_line, interval) for of_line in late if len(of_line)])
        apart = between(ends[:, np.newaxis], ends, interval)[np.triu_indices(len(ends), 1)]
        turns.append(steps * float(periods[np.argmax(np.abs(_turned(apart, periods).sum(axis=0)))]))
    return turns


def time_of_refresh(ends: Cycles, interval: float) -> Cycles:
    """[1]: when in an interval the loads end that wait for a line's refresh."""
    when: Cycles = np.angle(_turned(ends, np.array([interval])).sum(axis=0)) / (2 * np.pi) * interval
    return when


def between(one: Cycles, other: Cycles, interval: float) -> Cycles:
    """From times of an interval to others, by the shorter way."""
    apart: Cycles = (other - one + interval / 2) % interval - interval / 2
    return apart


def loads(timeline: list[list[int]]) -> list[Cycles]:
    """Of each warp of a launch, whose clocks around loads are given, [end, cycles more than most take] by load.

    The ends are those of a load that DRAM answers at once, as most are: a line's way to its SM counts for nothing.
    """
    found = []
    for clocks in np.array(timeline, dtype=np.float64):
        begin, end = clocks[::2], clocks[1::2]
        usual = float(np.median(end - begin))
        found.append(np.stack([end - usual, end - begin - usual], axis=1))
    return found


def _launches(question: Question) -> list[list[Cycles]]:
    """The loads of each launch of each program."""
    (pattern,) = question.rule.programs
    return [loads(timeline) for name in question.matching(pattern) for timeline in question.repeats(name)]


def _turned(times: Cycles, periods: Cycles) -> NDArray[np.complex128]:
    """[time, period]: how far around a circle each time is that takes a period to go round."""
    around: NDArray[np.complex128] = np.exp(2j * np.pi * times[:, np.newaxis] / periods)
    return around
