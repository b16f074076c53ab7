"""Of an SM's blocks the oldest one's warps issue first, as on the H100: when each block is through with its row."""

import numpy as np
import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times_of_blocks
from validation.calibration import bundle
from validation.calibration.predict import program_of
from validation.calibration.program import Experiment, Launch
from validation.calibration.recordings import Recordings

SLOTS = 64  # warps of an SM, all that the recording keeps
# How far off a block may be, of the time that all take. FFMAs wait for their code in the row's first lines.
APART = {"IMAD": 0.04, "MUFU.RCP": 0.01, "FFMA": 0.09, "LDC": 0.02, "S2R.TID": 0.016}
PROGRAMS = {one.name.removeprefix("ages/").partition(",")[0]: one for one in bundle.family("ages")}


def ends(experiment: Experiment, launch: Launch) -> list[float]:
    """When each block of SM 0 is through, the mean of its warps, in cycles since the first clock of all."""
    reads = np.array(clock_times_of_blocks(program_of(experiment), launch, load("h100")))  # blocks, warps, clocks
    return sorted(reads[:, :, -1].mean(axis=1) - reads.min())


@pytest.mark.parametrize("row", PROGRAMS)
def test_blocks_are_through_when_recorded(row: str) -> None:
    experiment = PROGRAMS[row]
    recorded = Recordings().recording("ages")["programs"][experiment.name]["launches"]
    for launch in experiment.launches:
        clocks = np.array(recorded[launch.label][-1])[:SLOTS, 3]
        lasts = np.sort(clocks.reshape(-1, launch.threads // 32).mean(axis=1))
        predicted = np.array(ends(experiment, launch)[: len(lasts)])
        off = np.abs(predicted - lasts).max() / lasts.max()
        assert off <= APART[row], f"{launch.label}: {predicted.round()}, recorded {lasts.round()}"
