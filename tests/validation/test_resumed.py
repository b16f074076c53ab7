"""Where a warp goes on within its line, and single results of the XU and of FP64: every piece to the cycle."""

import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import predictions, stopwatches
from validation.calibration.bundle import family
from validation.calibration.program import Experiment
from validation.calibration.recordings import Recordings

PROGRAMS = family("resumed")


@pytest.mark.parametrize("kind", ["ULDC", "FFMA.CONST", "BSYNC", "BRA", "MUFU"])
def test_a_warp_goes_on_as_recorded_from_every_slot(kind: str) -> None:
    names = [one.name for one in PROGRAMS if one.name.startswith(f"resumed/{kind} in slots")]
    found = list(predictions(names))
    assert found
    for prediction in found:
        assert prediction.is_exact, f"{prediction.name}: {prediction.predicted}, recorded {prediction.recorded}"


@pytest.mark.parametrize("experiment", [one for one in PROGRAMS if one.kind == "cycles"], ids=lambda one: one.name)
def test_what_comes_behind_one_result_waits_as_recorded(experiment: Experiment) -> None:
    recorded = Recordings().recording("resumed")["programs"][experiment.name]["launches"]["1"][0][0]
    assert stopwatches(experiment, load("h100"))[0].tolist() == recorded
