"""As many loads wait for data at once as on the H100; behind more, what L1 holds waits, too."""

from itertools import groupby

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import clock_times
from validation.calibration import bundle
from validation.calibration.derivations.l1 import HIT_CYCLES
from validation.calibration.predict import program_of
from validation.calibration.recordings import Recordings

PROGRAMS = {
    what: list(programs)
    for what, programs in groupby(bundle.family("pending"), lambda one: one.name.partition("/")[2].partition(" ")[2])
}
LATE = 3000  # cycles until a load's data come: more than until all are looked up, as from the host's memory
TOLERANCE = 0.01  # of their number


@pytest.mark.parametrize("what", PROGRAMS)
def test_loads_that_may_wait_are_as_many_as_on_the_h100(what: str) -> None:
    recorded = Recordings().recording("pending")["programs"]
    machine = load("h100").replace({"l1.miss_latency": LATE})
    predicted, measured = [], []
    for one in PROGRAMS[what]:
        count, (launch,) = int(one.name.partition("/")[2].partition(" ")[0]), one.launches
        if _waits(clock_times(program_of(one), launch, machine)):
            predicted.append(count)
        if all(_waits(repeat) for repeat in recorded[one.name]["launches"][launch.label]):
            measured.append(count)
    assert min(predicted) == pytest.approx(min(measured), rel=TOLERANCE)


def _waits(clocks: list[list[int]]) -> bool:
    """Whether the last warp's load of what L1 holds, between its last two clocks, waited."""
    return clocks[-1][-1] - clocks[-1][-2] > HIT_CYCLES
