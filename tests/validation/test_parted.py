"""Lanes that have parted, and BREAK, YIELD or meet at a WARPSYNC, go on when they do on the H100."""

import pytest

from smsim.machine import load
from validation.calibration.families import parted
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.program import Experiment
from validation.calibration.recordings import Recordings


@pytest.mark.parametrize("experiment", list(parted.experiments()), ids=lambda experiment: experiment.name)
def test_parted_lanes_go_on_when_they_do(experiment: Experiment) -> None:
    """Every clock of lane 0, in each of the groups, to the cycle; a line that is fetched may come one later."""
    (launch,) = experiment.launches
    recorded = Recordings().recording("parted")["programs"][experiment.name]["launches"][launch.label][0]
    (clocks,) = predicted_clocks(program_of(experiment), experiment, launch, load("h100")).astype(int).tolist()
    assert [clock == 0 for clock in clocks] == [clock is None for clock in recorded]
    for clock, there in zip(clocks, recorded, strict=True):
        assert clock == 0 or there - 1 <= clock - clocks[0] <= there
