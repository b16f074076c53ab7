"""How good many predictions are, and the tables that say so."""

from dataclasses import replace

import pytest

from tests.unit.validation.comparisons import compared, rendered, result, sampled, with_error
from validation.clock import ClockComparison
from validation.compare import compare
from validation.summary import summarise
from validation.tables import case_table, suite_table, summary_lines, summary_table


def test_summary_by_class_and_of_all():
    comparisons = [with_error(error, "a") for error in (-0.1, 0.2, 0.3)] + [with_error(0.5, "b")]
    of_a, of_b, of_all = summarise(comparisons)
    assert (of_a.case_class, of_b.case_class, of_all.case_class) == ("a", "b", "all")
    assert of_a.cycles.mean == pytest.approx(0.2)
    assert of_a.cycles.median == pytest.approx(0.2)
    assert of_a.cycles.percentile_90 == pytest.approx(0.28)
    assert of_a.cycles.worst == pytest.approx(0.3)
    assert (of_all.cases, of_all.cycles.worst, of_all.instructions_exact.count) == (4, pytest.approx(0.5), 4)


def test_cache_modes_are_apart_warm_first():
    cold = replace(compared(), cache="cold")
    assert [(one.case_class, one.cache) for one in summarise([cold, compared()])] == [
        ("dot", "warm"),
        ("all", "warm"),
        ("dot", "cold"),
        ("all", "cold"),
    ]


def test_clocks_and_hottest_instructions_are_counted():
    exact = replace(compared(), clock64=ClockComparison((5, 6), (5, 6), one_warp_per_smsp=True))
    crowded = replace(compared(), clock64=ClockComparison((5, 6), (5, 7), one_warp_per_smsp=False))
    hot = compare("dot/132x256", "dot", result(), sampled({"wait": {0: 10}}))
    lines = list(summary_lines(summarise([exact, crowded, hot])[:1]))
    assert lines == [
        "dot, warm: clock64 exact in 1 of 2 launches; with one warp per SMSP in 1 of 1",
        "dot, warm: hottest instruction agrees in 1 of 1; within the sampling error in 1 of 1; "
        "two profiles of the GPU would in 1",
    ]
    assert "clock64, slowest warp" in rendered(case_table(crowded))
    assert "1 of 2 warps exact" in rendered(case_table(crowded))


def test_tables():
    one = compared()
    text = rendered(case_table(one))
    assert "+10.0% (runs: 2.00%)" in text
    assert "wait" in text
    assert "long_scoreboard" not in text  # neither side has any
    assert "barrier -20.0" in rendered(suite_table([one]))
    assert "all" in rendered(summary_table(summarise([one])))
