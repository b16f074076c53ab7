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

from collections.abc import Sequence

from rich.table import Table

from validation.compare import Comparison, Summary
from validation.expectations import Judgement, Verdict

SHOWN_POINTS = 0.05  # a reason with less than this on both sides, in percent, is left out


def case_table(comparison: Comparison) -> Table:
    """Cycles, time, instructions and every reason of one case."""
    predicted, measured = comparison.predicted, comparison.measured
    table = _table(f"{comparison.case}, {comparison.cache}", "predicted", "measured", "difference")
    spread = f" (runs: {100 * comparison.cycles_spread:.2f}%)"
    for name, figure, difference in (
        ("Cycles", "cycles", _relative(comparison.cycles_error) + spread),
        ("Time (us)", "time_us", _relative(comparison.time_error)),
        ("Instructions", "instructions", _instructions(comparison)),
    ):
        digits = 2 if figure == "time_us" else 0
        row = (f"{getattr(side, figure):,.{digits}f}" for side in (predicted, measured))
        table.add_row(name, *row, difference)
    distance = f"distance {100 * comparison.stall_distance:.1f}%"
    totals = (f"{sum(side.stalls.values()):,.0f}" for side in (predicted, measured))
    table.add_row("Warp-cycles by reason", *totals, distance)
    shares, measured_shares, points = predicted.shares, measured.shares, comparison.share_differences
    for reason in sorted(shares, key=lambda reason: -max(shares[reason], measured_shares[reason])):
        if 100 * max(shares[reason], measured_shares[reason]) >= SHOWN_POINTS:
            row = (f"{100 * side[reason]:.1f}%" for side in (shares, measured_shares))
            table.add_row(f"  {reason}", *row, f"{points[reason]:+.1f}")
    return table


def suite_table(comparisons: Sequence[Comparison]) -> Table:
    """One line per case and cache mode."""
    columns = ("", "predicted", "measured", "cycles", "stalls", "largest difference", "instructions")
    table = _table("Case", *columns)
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
        )
    return table


def summary_table(summaries: Sequence[Summary]) -> Table:
    """Mean, median, 90th percentile and worst of cycle errors and stall distances, per class and cache mode."""
    statistics = ("mean", "median", "p90", "worst")
    columns = ["", "cases", *(f"cycles {name}" for name in statistics), *(f"stalls {name}" for name in statistics)]
    table = _table("Class", *columns, "instructions exact")
    for summary in summaries:
        cells = [
            f"{100 * value:.1f}%"
            for spread in (summary.cycles, summary.stalls)
            for value in (spread.mean, spread.median, spread.percentile_90, spread.worst)
        ]
        exact = f"{summary.instructions_exact} of {summary.cases}"
        table.add_row(summary.case_class, summary.cache, str(summary.cases), *cells, exact)
    return table


def judgement_table(judgements: Sequence[Judgement]) -> Table:
    """Every figure that is not simply within its tolerance."""
    table = _table("Case", "", "figure", "off by", "tolerance", "")
    for judgement in judgements:
        if judgement.verdict is not Verdict.HELD:
            error, tolerance = f"{judgement.error:.3f}", f"{judgement.tolerance:.3f}"
            table.add_row(judgement.case, judgement.cache, judgement.figure, error, tolerance, judgement.verdict.value)
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
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
