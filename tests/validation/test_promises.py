"""What is promised of the recorded cases holds, and what is listed as a known gap is still one.

The cases that expectations.toml names as tested; ``smsim compare --suite open`` judges all.
"""

from fnmatch import fnmatchcase

import pytest

from smsim.machine import load as load_machine
from validation.expectations import judge, load_expectations, load_known_gaps
from validation.measurement import RECORDED
from validation.predict import compare_case
from validation.selection import RecordedCase, recorded_of, select_cases
from validation.suites import kernel_names

EXPECTATIONS = load_expectations()
CASES = select_cases(recorded_of(kernel_names("open"), RECORDED), RECORDED)
TESTED = [case for case in CASES if any(fnmatchcase(case.name, each) for each in EXPECTATIONS.tested)]


@pytest.mark.parametrize("pattern", EXPECTATIONS.tested)
def test_the_case_was_recorded(pattern: str) -> None:
    assert any(fnmatchcase(case.name, pattern) for case in CASES)


@pytest.mark.parametrize("case", TESTED, ids=lambda case: case.name)
def test_promises_hold_and_known_gaps_are_open(case: RecordedCase) -> None:
    known = load_known_gaps()
    comparisons = compare_case(case, load_machine("h100"))
    judgements = [one for comparison in comparisons for one in judge(comparison, EXPECTATIONS, known)]
    assert [str(one) for one in judgements if one.verdict.is_fault] == []
