"""The warps of up to eight blocks get past a compiled kernel's first instructions when they do on the H100."""

import numpy as np
import pytest
from numpy.typing import NDArray

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times_of_blocks
from validation.calibration import bundle
from validation.calibration.families.begun import WARPS
from validation.calibration.predict import program_of
from validation.calibration.program import Launch
from validation.calibration.recordings import Recordings

PROGRAMS = {one.name.partition("/")[2]: one for one in bundle.family("begun")}
LAUNCHES = [launch for launch in next(iter(PROGRAMS.values())).launches if launch.label in {"4 blocks", "8 blocks"}]
# Without ncu a launch finds its constants at hand.
MACHINE = {"frontend.constants_behind_code": 0, "frontend.constants_behind_long_code": 0}
APART = 48  # cycles by which blocks may be off in the mean


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch.label)
@pytest.mark.parametrize("place", PROGRAMS)
def test_the_blocks_follow_the_oldest_one_as_recorded(place: str, launch: Launch) -> None:
    experiment = PROGRAMS[place]
    recordings = Recordings().recording("begun")["programs"][experiment.name]["launches"][launch.label]
    times = np.array(clock_times_of_blocks(program_of(experiment), launch, load("h100").replace(MACHINE)))
    predicted = behind_the_oldest(times[:, :, 1])
    recorded = [behind_the_oldest(np.array(repeat)[:, 3].reshape(-1, WARPS)) for repeat in recordings]
    assert min(np.abs(predicted - repeat).mean() for repeat in recorded) < APART


def behind_the_oldest(clocks: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much the blocks' warps are behind those of the first block, in the mean of each: of clocks [block, warp].

    When the SM's constants come, which all of them wait for, depends on where it lies.
    """
    means = np.sort(clocks.mean(axis=1))
    return means - means[0]
