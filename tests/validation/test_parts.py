"""A store to a line of which another sector is on its way: what a load behind finds in L1, as on the H100."""

import numpy as np
import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import stopwatches
from validation.calibration import bundle
from validation.calibration.families.parts import DISTANCES
from validation.calibration.recordings import Recordings

PROGRAMS = [one for one in bundle.family("parts") if not one.name.endswith("32 lines")]
MISS = 130  # cycles: less for a hit, more for a miss
# The H100's load is back after 260 to 270 cycles, here, from other pages, after 290 to 302: the store comes in between.
UNSETTLED = range(224, 264)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_what_the_load_finds(program) -> None:
    launch = program.launches[0]
    recorded = Recordings().recording("parts")["programs"][program.name]["launches"][launch.label]
    middle = np.median(np.array(recorded).reshape(len(recorded), -1), axis=0)
    predicted = stopwatches(program, load("h100")).reshape(-1)
    settled = [distance not in UNSETTLED for distance in DISTANCES]
    assert ((predicted > MISS) == (middle > MISS))[settled].all()
