"""WARPSYNC.EXCLUSIVE lets the lanes of one mask go on after the other when an H200 does."""

import pytest

from smsim.machine import load
from validation.calibration.families import exclusive
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.program import Experiment
from validation.calibration.recordings import H200, Recordings


@pytest.mark.parametrize("experiment", list(exclusive.experiments()), ids=lambda experiment: experiment.name)
def test_masks_have_their_turns_when_they_do(experiment: Experiment) -> None:
    """The first mask's clocks to the cycle, and when all have joined, a cycle sooner for each further mask."""
    (launch,) = experiment.launches
    recorded = Recordings(H200).recording("exclusive")["programs"][experiment.name]["launches"][launch.label][0]
    (clocks,) = predicted_clocks(program_of(experiment), experiment, launch, load("h100")).astype(int).tolist()
    *first, joined = [clock - clocks[0] for clock in clocks]
    assert first == recorded[:-1]
    masks = int(experiment.name.split("/")[1].split()[0])
    assert joined == recorded[-1] - (masks - 1)
