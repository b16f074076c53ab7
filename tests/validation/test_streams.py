"""What a branch waits for in code that the L0 does not hold is as on the H100, with a predicate and without one."""

from itertools import pairwise

import pytest

from smsim.machine import load
from validation.calibration.bundle import family
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.recordings import Recordings

SEVERAL = 23  # every so many programs


@pytest.mark.parametrize(
    ("kind", "as_found"),
    [("guarded ring", 0.85), ("guarded jumps", 0.9), ("run", 0.95), ("untaken", 0.95), ("jumps", 0.85), ("ring", 0.55)],
)
def test_a_warp_comes_from_clock_to_clock_in_as_many_cycles(kind: str, as_found: float) -> None:
    machine = load("h100")
    recorded = Recordings().recording("streams")["programs"]
    same = []
    for experiment in [one for one in family("streams") if one.name.startswith(f"streams/{kind}")][::SEVERAL]:
        clocks = predicted_clocks(program_of(experiment), experiment, experiment.launches[0], machine)
        (there,) = recorded[experiment.name]["launches"]["1"][-1]
        here = list(clocks[0])
        same += [a[1] - a[0] == b[1] - b[0] for a, b in zip(pairwise(here), pairwise(there), strict=True)]
    assert sum(same) >= as_found * len(same)
