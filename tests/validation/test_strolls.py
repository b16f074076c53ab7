"""Random ways through code that the L0 does not hold take as long as on the H100, from clock to clock."""

from itertools import pairwise

import pytest

from smsim.machine import load
from validation.calibration.bundle import family
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.recordings import Recordings

SEVERAL = 4  # every so many programs
# Pieces in which a branch finds its target as another one is met in a line that comes ahead.
MET = {
    "always, slow, 1": 19,
    "always, slow, 3": 59,
    "always, slow, 6": 37,
    "always, slow, 9": 47,
    "always, slow, 10": 33,
    "always, slow, 14": 7,
    "always, long, 5": 11,
    "mixed, 17": 17,
    "parted, short, 10": 44,
}


@pytest.mark.parametrize(
    ("kind", "as_found"),
    [
        ("straight", 1),
        ("guarded, long", 1),
        ("guarded, slow", 0.99),
        ("guarded, short", 0.95),
        ("guarded, shuffled", 0.95),
        ("always, long", 0.96),
        ("always, slow", 0.95),
        ("always, short", 0.65),
        ("untaken", 0.96),
        ("joined", 0.95),
        ("parted, short", 0.94),
        ("parted, long", 0.94),
    ],
)
def test_a_warp_comes_from_clock_to_clock_in_as_many_cycles(kind: str, as_found: float) -> None:
    machine = load("h100")
    recorded = Recordings().recording("strolls")["programs"]
    same = []
    for experiment in [one for one in family("strolls") if one.name.startswith(f"strolls/{kind}")][::SEVERAL]:
        clocks = predicted_clocks(program_of(experiment), experiment, experiment.launches[0], machine)
        (there,) = recorded[experiment.name]["launches"]["1"][-1]
        here = list(clocks[0])
        same += [a[1] - a[0] == b[1] - b[0] for a, b in zip(pairwise(here), pairwise(there), strict=True)]
    assert sum(same) >= as_found * len(same)


def test_what_stands_behind_a_branch_that_is_jumped_over_is_there_or_not() -> None:
    machine = load("h100")
    recorded = Recordings().recording("jumped_over")["programs"]
    same = []
    for experiment in family("jumped_over")[::SEVERAL]:
        (here,) = predicted_clocks(program_of(experiment), experiment, experiment.launches[0], machine)
        (there,) = recorded[experiment.name]["launches"]["1"][-1]
        same += [a[1] - a[0] == b[1] - b[0] for a, b in zip(pairwise(here), pairwise(there), strict=True)]
    assert sum(same) >= 0.9 * len(same)


@pytest.mark.parametrize(("name", "piece"), MET.items())
def test_a_landing_loses_some_cycles_to_a_branch_that_is_met_ahead(name: str, piece: int) -> None:
    (experiment,) = [one for one in family("strolls") if one.name == f"strolls/{name}"]
    (clocks,) = predicted_clocks(program_of(experiment), experiment, experiment.launches[0], load("h100"))
    (there,) = Recordings().recording("strolls")["programs"][experiment.name]["launches"]["1"][-1]
    assert clocks[piece + 1] - clocks[piece] == there[piece + 1] - there[piece]
