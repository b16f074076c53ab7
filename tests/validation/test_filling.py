"""The blocks of a launch that has room for all come to an SM as on the H100: each block's first clock."""

import numpy as np
import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times_of_blocks
from validation.calibration import bundle
from validation.calibration.families.filling import BLOCKS
from validation.calibration.predict import program_of
from validation.calibration.recordings import Recordings

PROGRAM = next(one for one in bundle.family("filling") if one.name == "filling/NOP, stall 12")
RECORDED = Recordings().recording("filling")["programs"][PROGRAM.name]["launches"]
WARPS_AT_REST = 24  # while so many are there, those that come find the SMSPs idle


@pytest.mark.parametrize("launch", PROGRAM.launches, ids=lambda launch: launch.label)
def test_blocks_come_when_recorded(launch):
    warps = launch.threads // 32
    count = min(BLOCKS[warps], max(2, WARPS_AT_REST // warps))
    clocks = np.array(clock_times_of_blocks(program_of(PROGRAM), launch, load("h100")))[:, :, 0]  # blocks, warps
    predicted = np.sort(clocks.min(axis=1) - clocks.min())[:count]
    for repeat in RECORDED[launch.label]:
        entries = np.array(repeat)[:, 2]
        recorded = np.sort(entries[: len(entries) // warps * warps].reshape(-1, warps).min(axis=1))[:count]
        assert np.abs(predicted - recorded).max() <= 0.025 * recorded.max() + 3
