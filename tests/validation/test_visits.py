"""Which lines the level-0 cache of code keeps is as on the H100, where a warp goes from place to place at random."""

import pytest

from isa.module import load_cubin
from smsim.machine import load
from tests.validation.microbenchmarks import clock_times
from validation.calibration.bundle import family
from validation.calibration.families.visits import VISITS
from validation.calibration.program import Experiment
from validation.calibration.recordings import Recordings
from validation.calibration.shell import KERNEL

SEVERAL = 5  # every fifth walk
AS_FOUND = 0.98  # of the visits
HIT = 58  # cycles from the RET to the place, fewer where its line is there


def landings(experiment: Experiment) -> list[int]:
    """The cycles from each RET to the next place's first instruction, in the last round."""
    program = load_cubin(experiment.cubin()).program(KERNEL)  # the text that RET has here tells less than its encoding
    (reads,) = clock_times(program, experiment.launches[0], load("h100"))
    last = reads[-(2 * VISITS + 1) :]  # the warp leaves once more than it comes
    return [come - leave for leave, come in zip(last[0:-1:2], last[1::2], strict=True)]


WALKS = [one for one in family("visits") if "places" in one.name]


@pytest.mark.parametrize("layout", ["4 lines", "8 lines", "3 lines", "2 lines", "1 lines"])
def test_a_walk_finds_the_same_lines(layout: str) -> None:
    recorded = Recordings().recording("visits")["programs"]
    same = [
        (here < HIT) == (there < HIT)
        for experiment in [one for one in WALKS if f", {layout} apart" in one.name][::SEVERAL]
        for here, there in zip(
            landings(experiment)[1:], recorded[experiment.name]["launches"]["1"][0][0][1:], strict=True
        )
    ]
    assert sum(same) >= AS_FOUND * len(same)
