"""What is promised, what became of it, and the list of known gaps."""

import json
from pathlib import Path

import pytest

from tests.unit.validation.comparisons import compared, rendered
from validation import known_gaps
from validation.compared_file import read_comparisons
from validation.expectations import (
    Verdict,
    judge,
    listed_deviations,
    load_expectations,
    load_known_gaps,
)
from validation.known_gaps import find_gaps, to_csv
from validation.measurement import CACHES, RECORDED, MeasurementError
from validation.selection import H100, recorded
from validation.tables import judgement_line, judgement_table

EXPECTATIONS = """
tested = []
[tolerance.dot]
warm = { cycles = 0.05, stalls = 0.3 }
[[gap]]
number = 3
cases = ["dot/132*"]
figures = ["cycles"]
[[gap]]
number = 4
cases = ["*"]
caches = ["cold"]
"""
GAPS = "case,cache,figure,deviation\n"


@pytest.fixture
def expectations(tmp_path):
    path = tmp_path / "expectations.toml"
    path.write_text(EXPECTATIONS)
    return load_expectations(path)


def gaps_of(tmp_path: Path, *lines: str):
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS + "".join(f"{line}\n" for line in lines))
    return load_known_gaps(path)


@pytest.mark.parametrize(
    ("gaps", "cycles", "stalls"),
    [
        ((), Verdict.BROKEN, Verdict.HELD),
        (("dot/132x256,cold,cycles,3", "dot/1x256,warm,cycles,3"), Verdict.BROKEN, Verdict.HELD),
        (("dot/132x256,warm,cycles,3",), Verdict.KNOWN_GAP, Verdict.HELD),
        (("dot/132x256,warm,stalls,3",), Verdict.BROKEN, Verdict.CLOSED_GAP),
    ],
)
def test_verdicts(tmp_path, expectations, gaps, cycles, stalls):
    judgements = {one.figure: one for one in judge(compared(), expectations, gaps_of(tmp_path, *gaps))}
    assert judgements["cycles"].verdict is cycles
    assert judgements["stalls"].verdict is stalls
    assert judgements["instructions"].verdict is Verdict.HELD
    assert "off by 0.100, tolerance 0.050" in str(judgements["cycles"])


def test_a_class_without_a_promise_is_an_error(expectations):
    with pytest.raises(MeasurementError, match=r"state \[tolerance.scan.warm\]"):
        judge(compared(case_class="scan"), expectations, {})


def test_a_bad_expectations_file_names_the_place(tmp_path):
    path = tmp_path / "expectations.toml"
    path.write_text(EXPECTATIONS.replace('["cycles"]', '["speed"]'))
    with pytest.raises(MeasurementError, match=r"Invalid enum value 'speed' - at `\$.gap\[0\].figures"):
        load_expectations(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,cache\n", "the first line must be case,cache,figure,deviation"),
        (GAPS + "dot/1,tepid,cycles,3\n", "line 2: not a case, warm or cold"),
        (GAPS + "dot/1,warm,cycles\n", "line 2: not a case, warm or cold"),
        (GAPS + "dot/1,warm,cycles,three\n", "line 2: not a case, warm or cold"),
    ],
)
def test_a_damaged_list_of_gaps_names_the_line(tmp_path, text, message):
    path = tmp_path / "gaps.csv"
    path.write_text(text)
    with pytest.raises(MeasurementError, match=message):
        load_known_gaps(path)


def test_gaps_are_found_and_written_as_they_are_read(tmp_path, expectations):
    gaps, unexplained = find_gaps([compared()], expectations)
    assert gaps == {("dot/132x256", "warm", "cycles"): 3}
    assert unexplained == []
    path = tmp_path / "gaps.csv"
    path.write_text(to_csv(gaps))
    assert load_known_gaps(path) == gaps


def test_a_gap_that_no_rule_explains_is_reported_and_not_listed(tmp_path, monkeypatch, capsys, expectations):
    monkeypatch.setattr(known_gaps, "load_expectations", lambda: expectations)
    file, gaps = tmp_path / "compare.json", tmp_path / "gaps.csv"
    file.write_text(json.dumps([compared().to_dict(), compared("dot/1x256").to_dict()]))
    assert known_gaps.main(file, gaps) == 1
    assert load_known_gaps(gaps) == {("dot/132x256", "warm", "cycles"): 3}
    out = capsys.readouterr().out
    assert "1 known gaps in 2 comparisons: 1 of deviation 3" in out
    assert "no rule explains: dot/1x256 warm cycles: off by 0.100" in out


def test_comparisons_are_read_back(tmp_path):
    path = tmp_path / "compare.json"
    path.write_text(json.dumps([compared().to_dict()]))
    assert read_comparisons(path) == [compared()]
    path.write_text("[{}]")
    with pytest.raises(MeasurementError, match="is not what smsim compare --json writes"):
        read_comparisons(path)


def test_the_table_lists_what_is_not_simply_within_tolerance(tmp_path, expectations):
    judgements = judge(compared(), expectations, gaps_of(tmp_path, "dot/132x256,warm,cycles,3"))
    text = rendered(judgement_table(judgements))
    assert "known gap" in text
    assert "stalls" not in text
    assert judgement_line(judgements) == "3 promises: 2 held, 1 known gaps, 0 broken, 0 gaps closed"


def test_every_deviation_that_is_referred_to_is_listed():
    listed = listed_deviations()
    assert listed == sorted(set(listed))
    assert {rule.number for rule in load_expectations().gap} <= set(listed)


def test_every_known_gap_is_of_a_recorded_launch_and_explained_by_its_rule():
    expectations = load_expectations()
    for (case, cache, figure), number in load_known_gaps().items():
        kernel, _, launch = case.partition("/")
        assert cache in recorded(kernel, RECORDED, H100).launch(launch).caches
        assert expectations.deviation(case, cache, figure) == number


def test_something_is_promised_of_every_recorded_class():
    expectations = load_expectations()
    classes = {recorded(path.stem, RECORDED, H100).case_class for path in (RECORDED / H100).glob("*.json")}
    for case_class in classes:
        for cache in CACHES:
            assert expectations.of(case_class, cache).cycles > 0
