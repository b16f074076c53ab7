"""Tiles of a product by 1 to 8 blocks of an SM: how long rows of loads take, and waits at the barriers behind them."""

import numpy as np
import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times_of_blocks
from validation.calibration import bundle
from validation.calibration.predict import program_of
from validation.calibration.program import Launch
from validation.calibration.recordings import Recordings

(PROGRAM,) = bundle.family("tiles")
RECORDED = Recordings().recording("tiles")["programs"][PROGRAM.name]["launches"]
CLOCKS = 3  # of a turn: before the row, behind it, behind the barrier


@pytest.mark.parametrize("launch", PROGRAM.launches, ids=lambda launch: launch.label)
def test_rows_and_waits_take_as_long(launch: Launch) -> None:
    reads = np.array(clock_times_of_blocks(program_of(PROGRAM), launch, load("h100")))  # blocks, warps, clocks
    began, loaded, released = np.moveaxis(reads.reshape(*reads.shape[:2], -1, CLOCKS), -1, 0)
    rows, waits = np.mean(RECORDED[launch.label], axis=0)[0]
    assert (loaded - began).sum(axis=-1).mean() == pytest.approx(rows, rel=0.11)
    assert (released - loaded).sum(axis=-1).mean() == pytest.approx(waits, rel=0.18)
