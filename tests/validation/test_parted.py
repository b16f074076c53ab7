"""Lanes that have parted, and BREAK, YIELD or meet at a WARPSYNC, go on when they do on the H100."""

import pytest

from tests.validation.microbenchmarks import clocks_of_lane
from validation.calibration.families import parted
from validation.calibration.program import Experiment


@pytest.mark.parametrize("experiment", list(parted.experiments()), ids=lambda experiment: experiment.name)
def test_parted_lanes_go_on_when_they_do(experiment: Experiment) -> None:
    """Every clock of lane 0, in each of the groups, to the cycle; a line that is fetched may come one later."""
    clocks, recorded = clocks_of_lane(experiment)
    assert [clock == 0 for clock in clocks] == [clock is None for clock in recorded]
    for clock, there in zip(clocks, recorded, strict=True):
        assert clock == 0 or there - 1 <= clock - clocks[0] <= there
