"""Comparisons as tables.

One case:

    dot_ilp4/132x256, warm     predicted   measured   difference
    Cycles                         5,210      5,083        +2.5%
    Time (us)                       2.97       3.10        -4.2%
    Instructions                  51,200     51,200        exact
    Warp-cycles by reason                               distance 3.1%
      long_scoreboard              71.2%      70.0%         +1.2
      wait                         12.0%      13.1%         -1.1

A suite: one line per case, then one per class.
"""

from collections.abc import Iterator, Sequence

from rich.table import Table

from validation.compare import Comparison, Figures
from validation.contrast import Contrast
from validation.expectations import Judgement, Verdict
from validation.summary import Summary

SHOWN_SHARE = 0.0005  # a reason with less than this on every side is left out
MISSING = "-"


def case_table(comparison: Comparison) -> Table:
    """Cycles, time, instructions, clock64 and every reason of one case."""
    predicted, measured = comparison.predicted, comparison.measured
    table = _table(f"{comparison.case}, {comparison.cache}", "predicted", "measured", "difference")
    spread = f" (runs: {100 * comparison.cycles_spread:.2f}%)"
    differences = (_relative(comparison.cycles_error) + spread, _relative(comparison.time_error))
    for row, difference in zip(_totals([predicted, measured]), (*differences, _instructions(comparison)), strict=True):
        table.add_row(*row, difference)
    if comparison.clock64 is not None:
        clock = comparison.clock64
        slowest = (f"{max(side):,}" for side in (clock.predicted, clock.measured))
        table.add_row("clock64, slowest warp", *slowest, f"{clock.warps_exact} warps exact")
    totals = (f"{sum(side.stalls.values()):,.0f}" for side in (predicted, measured))
    table.add_row("Warp-cycles by reason", *totals, f"distance {100 * comparison.stall_distance:.1f}%")
    points = comparison.share_differences
    for reason, shares in _reasons([predicted, measured]):
        table.add_row(f"  {reason}", *shares, f"{points[reason]:+.1f}")
    return table


def contrast_table(contrast: Contrast) -> Table:
    """One case on two machines, and on the GPU where it was measured."""
    first, second = contrast.predicted
    measured = [] if contrast.measured is None else [contrast.measured]
    titles = (*contrast.machines, "difference", *("measured" for _ in measured))
    table = _table(f"{contrast.case}, {contrast.cache}", *titles)
    for name, one, other, *rest in _totals([first, second, *measured]):
        figure = _FIGURES[name]
        difference = getattr(second, figure) / getattr(first, figure) - 1.0
        table.add_row(name, one, other, _relative(difference), *rest)
    one, other, *rest = (f"{sum(side.stalls.values()):,.0f}" for side in (first, second, *measured))
    difference = sum(second.stalls.values()) / sum(first.stalls.values()) - 1.0
    table.add_row("Warp-cycles by reason", one, other, _relative(difference), *rest)
    for reason, (share, other_share, *rest) in _reasons([first, second, *measured]):
        points = 100 * (second.shares[reason] - first.shares[reason])
        table.add_row(f"  {reason}", share, other_share, f"{points:+.1f}", *rest)
    return table


def suite_table(comparisons: Sequence[Comparison]) -> Table:
    """One line per case and cache mode."""
    columns = ("", "predicted", "measured", "cycles", "stalls", "largest difference", "instr.", "clock64")
    table = _table("Case", *columns, gap=1)
    for comparison in comparisons:
        points = comparison.share_differences
        reason = max(points, key=lambda name: abs(points[name]))
        table.add_row(
            comparison.case,
            comparison.cache,
            f"{comparison.predicted.cycles:,.0f}",
            f"{comparison.measured.cycles:,.0f}",
            _relative(comparison.cycles_error),
            f"{100 * comparison.stall_distance:.1f}%",
            f"{reason} {points[reason]:+.1f}",
            _instructions(comparison),
            _clock(comparison),
        )
    return table


def summary_table(summaries: Sequence[Summary]) -> Table:
    """Mean, median, 90th percentile and worst of cycle errors and stall distances, per class and cache mode."""
    statistics = ("mean", "median", "p90", "worst")
    figures = [f"{figure}\n{name}" for figure in ("cycles", "stalls") for name in statistics]
    table = _table("Class", "", "cases", *figures, "instructions\nexact", gap=1)
    for summary in summaries:
        cells = [
            f"{100 * value:.1f}%"
            for spread in (summary.cycles, summary.stalls)
            for value in (spread.mean, spread.median, spread.percentile_90, spread.worst)
        ]
        exact = str(summary.instructions_exact)
        table.add_row(summary.case_class, summary.cache, str(summary.cases), *cells, exact)
    return table


def summary_lines(summaries: Sequence[Summary]) -> Iterator[str]:
    """What a summary says of clocks and instructions, for the classes that have any."""
    for summary in summaries:
        title = f"{summary.case_class}, {summary.cache}"
        if summary.clock64_exact.of:
            alone = f"with one warp per SMSP in {summary.clock64_exact_alone}"
            yield f"{title}: clock64 exact in {summary.clock64_exact} launches; {alone}"
        if summary.hottest_agrees.of:
            within = f"within the sampling error in {summary.hottest_within_error}"
            repeats = f"two profiles of the GPU would in {summary.hottest_repeats:.0f}"
            yield f"{title}: hottest instruction agrees in {summary.hottest_agrees}; {within}; {repeats}"


def judgement_table(judgements: Sequence[Judgement]) -> Table:
    """Every figure that is not simply within its tolerance: broken promises and closed gaps last."""
    table = _table("Case", "", "figure", "off by", "tolerance", "deviation", "")
    for judgement in sorted(judgements, key=lambda one: one.verdict.is_fault):
        if judgement.verdict is not Verdict.HELD:
            error, tolerance = f"{judgement.error:.3f}", f"{judgement.tolerance:.3f}"
            deviation = "" if judgement.deviation is None else str(judgement.deviation)
            row = (judgement.case, judgement.cache, judgement.figure, error, tolerance, deviation)
            table.add_row(*row, judgement.verdict.name.lower().replace("_", " "))
    return table


def judgement_line(judgements: Sequence[Judgement]) -> str:
    """How many promises held, and how many figures are known gaps, broken or closed."""
    counts = {verdict: sum(one.verdict is verdict for one in judgements) for verdict in Verdict}
    return (
        f"{len(judgements)} promises: {counts[Verdict.HELD]} held, {counts[Verdict.KNOWN_GAP]} known gaps, "
        f"{counts[Verdict.BROKEN]} broken, {counts[Verdict.CLOSED_GAP]} gaps closed"
    )


_FIGURES = {"Cycles": "cycles", "Time (us)": "time_us", "Instructions": "instructions"}


def _totals(sides: Sequence[Figures]) -> Iterator[list[str]]:
    for name, figure in _FIGURES.items():
        digits = 2 if figure == "time_us" else 0
        yield [name, *(f"{getattr(side, figure):,.{digits}f}" for side in sides)]


def _reasons(sides: Sequence[Figures]) -> Iterator[tuple[str, list[str]]]:
    """Each reason that a side has, the largest first, with its share on every side."""
    shares = [side.shares for side in sides]
    for reason in sorted(shares[0], key=lambda reason: -max(side[reason] for side in shares)):
        if max(side[reason] for side in shares) >= SHOWN_SHARE:
            yield reason, [f"{100 * side[reason]:.1f}%" for side in shares]


def _table(first: str, *others: str, gap: int = 2) -> Table:
    table = Table(box=None, padding=(0, gap, 0, 0), header_style="bold")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _relative(error: float) -> str:
    return f"{100 * error:+.1f}%"


def _instructions(comparison: Comparison) -> str:
    if comparison.instructions_exact:
        return "exact"
    return f"{comparison.predicted.instructions - comparison.measured.instructions:+,.0f}"


def _clock(comparison: Comparison) -> str:
    if comparison.clock64 is None:
        return MISSING
    return "exact" if comparison.clock64.exact else "off"
