"""What a microbenchmark's simulation is compared with."""

from dataclasses import replace

from smsim.machine import load
from validation.calibration import predict
from validation.calibration.program import Experiment, Launch, clock
from validation.calibration.sass import op

ONE = Experiment("f/a", [clock(8, stall=4), op("NOP", stall=7), clock(9, stall=4)], [8, 9])
APART = 11  # cycles between its clock reads


def recorded(*repeats: int) -> dict[str, object]:
    return {"programs": {"f/a": {"launches": {"1": list(repeats)}}}}


def test_a_program_is_predicted_to_the_cycle():
    (found,) = predict.predict_all([ONE], recorded(APART, APART + 1), load("h100"))
    assert (found.name, found.launch, found.predicted, found.is_exact, found.error) == ("f/a", "1", APART, True, 0)


def test_the_nearest_repeat_counts():
    (found,) = predict.predict_all([ONE], recorded(5, APART + 2), load("h100"))
    assert (found.is_exact, found.error) == (False, 2)


def test_timelines_of_several_warps_may_be_in_any_order():
    found = predict.Prediction("f/a", "2", [[0, 5], [2, 9]], [[[2, 9], [0, 5]]])
    assert found.is_exact
    assert replace(found, predicted=[[0, 5], [2, 8]]).error == 1


def test_what_does_not_depend_on_clocks_alone_is_left_out():
    assert not predict.can_predict(replace(ONE, kind="words"), Launch())
    assert not predict.can_predict(ONE, Launch(data="chase:128:2"))
    assert not predict.can_predict(ONE, Launch(carveout=50))
    assert list(predict.predict_all([ONE], {"programs": {}}, load("h100"))) == []


def test_a_program_that_cannot_be_simulated_says_why():
    jump = Experiment("f/a", [clock(8), op("JMX", 8, stall=5), clock(9)], [8, 9])
    (found,) = predict.predict_all([jump], recorded(9), load("h100"))
    assert found.predicted is None
    assert found.reason
    assert predict.summary([found]) == "exact to the cycle in 0 of 1 launches, 1 could not be simulated"
