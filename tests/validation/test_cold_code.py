"""A launch's first pass over code beyond what a launch brings, which DRAM alone holds, takes what the H100 takes."""

from itertools import pairwise
from statistics import mean

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import predictions
from validation.calibration.families.cold_code import COPIES

STRAIGHT = [f"cold_code/straight, copy {copy}" for copy in range(COPIES)]


def test_straight_code_from_dram_takes_as_long() -> None:
    found = list(predictions(STRAIGHT))
    (predicted,) = {one.predicted[0][-1] for one in found}
    assert len(found) == COPIES
    assert predicted == pytest.approx(mean(one.recorded[0][0][-1] for one in found), rel=0.05)


def test_lines_come_six_at_a_time() -> None:
    (one,) = predictions(STRAIGHT[:1])
    (clocks,) = one.predicted
    miss = load("h100").value("frontend.gcc_miss")
    late = [line for line, (a, b) in enumerate(pairwise(clocks)) if b - a > miss]
    assert {b - a for a, b in pairwise(late)} == {6}
