"""What SMs of a GPC that load the same line some cycles apart say (``coalesced``): who joins whom, how far L2 is.

The clocks of a GPC's SMs agree. A load is alone where none of its GPC's other SMs asked for the line shortly before.
"""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smsim.gpcs import gpcs

from .question import Question

Loads = NDArray[np.int64]  # of one line by a GPC's SMs: row of the recording, cycle, latency; ordered by cycle
_UNIFORM = 12**0.5  # from end to end of what is evenly spread, in standard deviations


def coalescing_window(question: Question) -> list[float]:
    """By how many cycles a load may come behind one that was alone and still get its data with it.

    Those that do are faster than alone by more than half of that. One sample for each repeat: what tells joined from
    other loads best, of loads ``near`` to ``apart`` cycles behind.
    """
    near, apart = int(question.rule.number("near")), int(question.rule.number("apart"))
    windows = []
    for name in _programs(question):
        alone = _alone(question, name)
        for repeat in question.repeats(name):
            joined, behind = [], []
            for line, loads in _lines(np.array(repeat)):
                gaps = np.diff(loads[:, 1], prepend=-apart - 1)
                for before, gap, (row, _, cycles) in zip(gaps, gaps[1:], loads[1:], strict=False):
                    if before > apart and near < gap <= apart and (row, line) in alone:
                        joined.append(cycles < alone[row, line] - gap / 2)
                        behind.append(gap)
            least = np.arange(near, apart)
            wrong = ((np.array(behind) <= least[:, None]) != np.array(joined)).sum(axis=1)
            windows.append(float(least[wrong == wrong.min()].mean()))
    return windows


def sm_spread(question: Question) -> list[float]:
    """From the SM of a GPC that is nearest to L2 to the farthest, if evenly spread. One sample for each GPC."""
    return [float(_UNIFORM * further.mean(axis=1).std()) for further in _further(question)]


def way_spread(question: Question) -> list[float]:
    """The same of an SM's ways to different lines, beyond those of the GPC's other SMs. One sample for each GPC."""
    return [float(_UNIFORM * (further - further.mean(axis=1)[:, None]).std()) for further in _further(question)]


def _further(question: Question) -> Iterator[np.ma.MaskedArray[Any, Any]]:
    """By how much longer each SM of a GPC waited for each line than the mean of them: float64, shape (SMs, lines)."""
    for name in _programs(question):
        alone = _alone(question, name)
        rows, lines = (1 + max(numbers) for numbers in zip(*alone, strict=True))
        waited = np.ma.array(np.zeros((rows, lines)), mask=True)
        for place, cycles in alone.items():
            waited[place] = cycles
        for of_gpc in _gpcs(rows):
            yield waited[of_gpc] - waited[of_gpc].mean(axis=0)


def _alone(question: Question, name: str) -> dict[tuple[int, int], float]:
    """What each SM, by its row, waited for each line where it was alone, the median over the repeats."""
    apart = question.rule.number("apart")
    found = defaultdict(list)
    for repeat in question.repeats(name):
        for line, loads in _lines(np.array(repeat)):
            for row, _, cycles in loads[np.diff(loads[:, 1], prepend=-apart - 1) > apart]:
                found[int(row), line].append(cycles)
    return {place: median(cycles) for place, cycles in found.items()}


def _lines(records: NDArray[np.int64]) -> Iterator[tuple[int, Loads]]:
    """The loads of each line by each GPC; ``records`` are of each SM its number, then cycle and latency by line."""
    for rows in _gpcs(len(records)):
        for line, loads in enumerate(records[rows, 1:].reshape(len(rows), -1, 2).transpose(1, 0, 2)):
            order = np.argsort(loads[:, 0], kind="stable")
            yield line, np.column_stack((rows, loads))[order]


def _gpcs(sms: int) -> list[NDArray[np.int64]]:
    """The rows of each GPC's SMs: the recording has them in the order of their blocks."""
    gpc = gpcs(sms)
    return [np.flatnonzero(gpc == number) for number in np.unique(gpc)]


def _programs(question: Question) -> list[str]:
    """All programs of the rule."""
    return [name for pattern in question.rule.programs for name in question.matching(pattern)]
