"""L1 waits for as many lines as on the H100: for all that it has room for, whatever their sets."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times
from validation.calibration import bundle
from validation.calibration.families.awaited import PATTERNS, SHARED
from validation.calibration.predict import program_of
from validation.calibration.recordings import Recordings

LATE = 3000  # cycles until a load's data come, as from the host's memory
PAUSE = 600  # cycles in which no load issues: all that L1 has room for have been asked for, none is back
PROGRAMS = {one.name: one for one in bundle.family("awaited")}


@pytest.mark.parametrize("shared", range(len(SHARED)))
@pytest.mark.parametrize("pattern", [name for name in PATTERNS if not name.startswith("8 lines")])
def test_as_many_loads_issue_before_l1_is_full_as_on_the_h100(pattern: str, shared: int) -> None:
    experiment = PROGRAMS[f"awaited/{pattern}"]
    launch = experiment.launches[shared]
    recorded = Recordings().recording("awaited")["programs"][experiment.name]["launches"][launch.label]
    machine = load("h100").replace({"l1.miss_latency": LATE})
    predicted = issued_before_a_pause(clock_times(program_of(experiment), launch, machine))
    assert predicted == pytest.approx(min(issued_before_a_pause(repeat) for repeat in recorded), rel=0.04)


def issued_before_a_pause(clocks: ArrayLike) -> int:
    """The loads that have issued before the first pause, by the clocks of each warp: the last are when all are back."""
    issued = np.sort(np.array(clocks)[:, :-1], axis=None)
    return int(np.argmax(np.diff(issued) > PAUSE)) + 1
