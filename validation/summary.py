"""How good the predictions of many cases are, class by class."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from validation.clock import ClockComparison
from validation.compare import Comparison
from validation.measurement import Cache
from validation.tally import Tally

ALL = "all"


@dataclass(frozen=True)
class Spread:
    """How large a figure is over the cases of a class."""

    mean: float
    median: float
    percentile_90: float
    worst: float


@dataclass(frozen=True)
class Summary:
    """A class of cases in one cache mode.

    Attributes:
        cycles: absolute cycle errors, relative to measured.
        stalls: total-variation distances between the stall shares, 0 to 1.
        instructions_exact: cases with the instruction count of the GPU.
        clock64_exact: cases whose clock64() differences are the GPU's to the last cycle, of those that have any.
        clock64_exact_alone: the same, of the cases with at most one warp per SMSP.
        hottest_agrees: cases with the same hottest instruction as on the GPU, of those that have samples.
        hottest_within_error: the same, where the samples cannot tell the two instructions apart.
        hottest_repeats: in how many of them two profiles of the GPU would agree, drawn from its samples.
    """

    case_class: str
    cache: Cache
    cases: int
    cycles: Spread
    stalls: Spread
    instructions_exact: Tally
    clock64_exact: Tally
    clock64_exact_alone: Tally
    hottest_agrees: Tally
    hottest_within_error: Tally
    hottest_repeats: float


def summarise(comparisons: Sequence[Comparison]) -> list[Summary]:
    """One summary per class and cache mode, warm ones first, then one of all classes ("all") per cache mode."""
    groups: dict[tuple[str, Cache], list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault((comparison.case_class, comparison.cache), []).append(comparison)
    for comparison in comparisons:
        groups.setdefault((ALL, comparison.cache), []).append(comparison)
    return [
        _summary(case_class, cache, members)
        for (case_class, cache), members in sorted(groups.items(), key=lambda group: group[0][1] != "warm")
    ]


def _summary(case_class: str, cache: Cache, members: Sequence[Comparison]) -> Summary:
    clocks = [member.clock64 for member in members if member.clock64 is not None]
    sampled = [member.instructions for member in members if member.instructions is not None]
    return Summary(
        case_class=case_class,
        cache=cache,
        cases=len(members),
        cycles=_spread([abs(member.cycles_error) for member in members]),
        stalls=_spread([member.stall_distance for member in members]),
        instructions_exact=Tally(sum(member.instructions_exact for member in members), len(members)),
        clock64_exact=_exact(clocks),
        clock64_exact_alone=_exact([clock for clock in clocks if clock.one_warp_per_smsp]),
        hottest_agrees=Tally(sum(one.hottest_agrees for one in sampled), len(sampled)),
        hottest_within_error=Tally(sum(one.hottest_within_error for one in sampled), len(sampled)),
        hottest_repeats=sum(one.hottest_repeats for one in sampled),
    )


def _exact(clocks: Sequence[ClockComparison]) -> Tally:
    return Tally(sum(clock.exact for clock in clocks), len(clocks))


def _spread(values: Sequence[float]) -> Spread:
    median, percentile_90 = np.percentile(values, [50.0, 90.0])
    return Spread(fmean(values), float(median), float(percentile_90), max(values))
