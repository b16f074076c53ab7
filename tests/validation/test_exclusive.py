"""WARPSYNC.EXCLUSIVE lets the lanes of one mask go on after the other when an H200 does."""

import pytest

from tests.validation.microbenchmarks import clocks_of_lane
from validation.calibration.families import exclusive
from validation.calibration.program import Experiment
from validation.calibration.recordings import H200


@pytest.mark.parametrize("experiment", list(exclusive.experiments()), ids=lambda experiment: experiment.name)
def test_masks_have_their_turns_when_they_do(experiment: Experiment) -> None:
    """The first mask's clocks to the cycle, and when all have joined, a cycle sooner for each further mask."""
    clocks, recorded = clocks_of_lane(experiment, H200)
    *first, joined = [clock - clocks[0] for clock in clocks]
    assert first == recorded[:-1]
    masks = int(experiment.name.split("/")[1].split()[0])
    assert joined == recorded[-1] - (masks - 1)
