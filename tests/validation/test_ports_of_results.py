"""A result of the MIO or of L1TEX waits for its port while the dispatcher has it: `ports_of_results`."""

import pytest

from tests.validation.microbenchmarks import stopwatch_errors
from validation.calibration.bundle import family
from validation.calibration.families.ports_of_results import NAMES, OTHER, ROWS
from validation.calibration.recordings import H200

# Behind the 19 cycles that a result waits it stops the dispatcher for some, which is not modelled.
LONG, STOPPED = 24, 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("writes", "bank"), [*ROWS, OTHER])
def test_each_comes_when_it_does_on_the_gpu(name: str, writes: int, bank: str) -> None:
    program = f"ports_of_results/{name}, {writes} writes, {bank}"
    (experiment,) = [one for one in family("ports_of_results") if one.name == program]
    off = stopwatch_errors(experiment, H200)
    assert all(0 <= cycles <= STOPPED for cycles in off) if writes >= LONG else not any(off), off
