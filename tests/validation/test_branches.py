"""Rows of branches that part and join lanes, simulated and recorded: ``branches``."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.predict import Prediction


def predicted(name: str, launch: str) -> Prediction:
    """A row's launch, simulated and recorded."""
    (found,) = predictions([f"branches/row of {name}"], [launch])
    return found


@pytest.mark.parametrize("name", ["half to BSYNC", "two sides", "halved twice", "BSSY and BSYNC"])
def test_one_warp_takes_what_it_takes_on_the_h100(name):
    """Those at hand go on after 16 cycles, those who have to be looked for after 51."""
    assert predicted(name, "1").is_exact


def test_warps_of_other_smsps_take_turns():
    assert predicted("two sides", "4x1").is_exact


@pytest.mark.parametrize("name", ["half to BSYNC", "two sides", "eight groups", "halved twice"])
@pytest.mark.parametrize("warps", ["4", "8"])
def test_warps_of_an_smsp_land_in_turn(name, warps):
    prediction = predicted(name, warps)
    assert prediction.error < 0.06 * min(prediction.recorded)


@pytest.mark.parametrize("name", ["BSSY", "BSSY and BSYNC", "half to BSYNC", "two sides", "eight groups"])
def test_the_sm_takes_one_in_a_cycle(name):
    """28 warps, seven on each SMSP: not faster than one BSSY, or instruction that parts or joins lanes, in a cycle."""
    prediction = predicted(name, "4x7")
    assert prediction.error < 0.07 * min(prediction.recorded)


@pytest.mark.parametrize("slot", range(8))
def test_the_line_behind_lanes_that_fall_through_is_there(slot):
    names = [f"targets/parting in slot {slot}, stall {stall}" for stall in (1, 2)]
    assert all(prediction.is_exact for prediction in predictions(names, ["1"]))
