"""Predictions beside measurements: the arithmetic, and what is refused."""

import msgspec
import pytest

from smsim.reasons import REASON_NAMES
from tests.unit.validation.comparisons import compared, measurement, result
from validation.compare import Figures, compare, predicted_figures
from validation.measurement import MeasurementError


def test_cycles_time_and_instructions():
    one = compared()
    assert one.cycles_error == pytest.approx(0.1)
    assert one.cycles_spread == pytest.approx(0.02)
    assert (one.predicted.time_us, one.measured.time_us) == (0.55, 0.5)
    assert one.instructions_exact
    assert one.predicted.instructions == 80 * 132


def test_shares_differences_and_distance():
    one = compared()
    assert one.predicted.shares["wait"] == pytest.approx(0.6)
    assert one.measured.shares["wait"] == pytest.approx(0.4)
    assert one.share_differences["wait"] == pytest.approx(20.0)
    assert one.share_differences["barrier"] == pytest.approx(-20.0)
    assert one.stall_distance == pytest.approx(0.2)


def test_a_prediction_is_scaled_from_sm_0_to_the_grid():
    figures = predicted_figures(result(grid=200))  # SM 0 runs blocks 0 and 132
    assert figures.stalls["wait"] == 120 * 100
    assert predicted_figures(result(grid=200), grid_instructions=7).instructions == 7


def test_json_has_both_sides():
    plain = compared().to_dict()
    assert plain["case"] == "dot/132x256"
    assert plain["class"] == "dot"
    assert plain["cache"] == "warm"
    assert set(plain["predicted"]["stalls"]) == set(plain["measured"]["stalls"]) == set(REASON_NAMES)
    assert plain["predicted"]["cycles"] == 1100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code_sha256": "other"}, "of another cubin .recorded eeeeeeeeeeee, simulated ffffffffffff"),
        ({"block": (128, 1, 1)}, "is of launch"),
        ({"status": "wrong", "message": "argument 2 differs"}, "was wrong: argument 2 differs"),
        ({"counters": {}}, "no warm figure of sm__cycles_active.max"),
    ],
)
def test_what_cannot_be_compared_is_refused(changes, message):
    with pytest.raises(MeasurementError, match=message):
        compare("dot/132x256", "dot", result(), msgspec.structs.replace(measurement(), **changes))


def test_a_cache_mode_that_was_not_measured_is_refused():
    with pytest.raises(MeasurementError, match="no cold figure"):
        compare("dot/132x256", "dot", result(cache="cold"), measurement())


def test_no_warp_cycles_are_no_shares():
    assert Figures(1.0, 1.0, 1.0, {"wait": 0.0}).shares == {"wait": 0.0}
