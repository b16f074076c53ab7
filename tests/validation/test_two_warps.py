"""What one warp's instructions make another's of the same SMSP wait for, at every distance, is as on the GPU."""

import numpy as np
import pytest

from smsim.machine import load
from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.paced import COUNT, PERIOD
from validation.calibration.predict import predicted_clocks, program_of
from validation.calibration.record import relative
from validation.calibration.recordings import Recordings

SEVERAL = 9  # every ninth program
BEGIN = 6  # cycles that the first instructions of two rows may cost more or less


def waits(clocks: np.ndarray) -> dict[int, list[np.ndarray]]:
    """By the distance of the two rows in cycles: what they took longer than their stall counts, of each warp."""
    found: dict[int, list[np.ndarray]] = {}
    for i in range(0, 2 * PERIOD, 2):
        row = clocks[:, i + 1] - clocks[:, i] - COUNT * PERIOD
        found.setdefault(int(clocks[1, i] - clocks[0, i]) % PERIOD, []).append(row)
    return found


def test_pairs_wait_as_recorded() -> None:
    recording = Recordings().recording("paced")["programs"]
    compared = 0
    pairs = [one for one in bundle.family("paced") if not one.name.startswith("paced/row")]
    for experiment in pairs[::SEVERAL]:
        (launch,) = experiment.launches
        predicted = waits(relative(predicted_clocks(program_of(experiment), experiment, launch, load("h100"))))
        recorded = waits(np.array(recording[experiment.name]["launches"][launch.label][-1]))
        for distance in predicted.keys() & recorded.keys():
            near = [np.abs(one - other).max() for one in predicted[distance] for other in recorded[distance]]
            assert min(near) <= BEGIN, f"{experiment.name}, {distance} cycles apart"
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("row", ["HFMA2.MMA, FFMA, oeo o o", "FFMA, IMAD, oeo o e", "FFMA, FFMA, eo- e o, kept"])
def test_a_warp_keeps_its_turn_across_the_ends_of_lines(row: str) -> None:
    for prediction in predictions([f"paced/row {row}"], ["1", "2", "3"]):  # by four the last lands 3 cycles late
        assert prediction.is_exact, f"{prediction.launch}: {prediction.predicted}, recorded {prediction.recorded}"


@pytest.mark.parametrize("row", ["HFMA2, HFMA2, eo- e e", "HFMA2.MMA, HFMA2.MMA, eo- e o, kept", "IMAD, IMAD, eo- e e"])
def test_a_warp_that_runs_into_its_own_pipe_loses_its_turn_to_the_next_choice(row: str) -> None:
    for prediction in predictions([f"paced/row {row}"], ["1", "2", "3"]):  # by four the last lands 2 cycles late
        assert prediction.is_exact, f"{prediction.launch}: {prediction.predicted}, recorded {prediction.recorded}"
