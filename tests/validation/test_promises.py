"""What is promised of the recorded cases holds, and what is listed as a deviation still deviates."""

from fnmatch import fnmatchcase

import pytest

import kernels
from isa.errors import SmsimError
from smsim.machine import load as load_machine
from validation.expectations import Verdict, judge, load_expectations
from validation.measurement import CACHES, RECORDED, recorded_kernels
from validation.predict import H100, compare_kernel, recorded

EXPECTATIONS = load_expectations()
NAMES = [name for name in recorded_kernels(RECORDED, H100) if name in kernels.names()]


def cases(name: str) -> list[str]:
    """The launches of a recorded kernel that are simulated every time."""
    launches = [launch.launch for launch in recorded(kernels.get(name), RECORDED, H100).launches]
    return [launch for launch in launches if any(fnmatchcase(f"{name}/{launch}", each) for each in EXPECTATIONS.tested)]


TESTED = {name: cases(name) for name in NAMES if cases(name)}


@pytest.mark.parametrize("pattern", EXPECTATIONS.tested)
def test_the_case_was_recorded(pattern):
    assert any(fnmatchcase(f"{name}/{launch}", pattern) for name, launches in TESTED.items() for launch in launches)


@pytest.mark.parametrize("name", TESTED)
def test_promises_hold_and_known_gaps_are_open(name):
    kernel = kernels.get(name)
    outcomes = list(
        compare_kernel(kernel, recorded(kernel, RECORDED, H100), load_machine("h100"), CACHES, launches=TESTED[name])
    )
    assert [str(outcome) for outcome in outcomes if isinstance(outcome, SmsimError)] == []
    judgements = [judgement for outcome in outcomes for judgement in judge(outcome, EXPECTATIONS)]
    assert [str(one) for one in judgements if one.verdict in (Verdict.BROKEN, Verdict.CLOSED_GAP)] == []
