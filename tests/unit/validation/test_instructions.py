"""Predicted stalls of each instruction beside ncu's samples."""

import pytest

from tests.unit.validation.comparisons import compared, rendered, result, sampled
from validation.compare import compare
from validation.instruction_table import instruction_table
from validation.instructions import wilson
from validation.measurement import MeasurementError


def against(stalls):
    return compare("dot/132x256", "dot", result(), sampled(stalls))


def test_samples_share_the_measured_warp_cycles():
    instructions = against({"wait": {0: 30}, "selected": {0: 10, 1: 10}}).instructions
    assert instructions.num_samples == 50
    assert instructions.warp_cycles_per_sample == pytest.approx(200 * 132 / 50)
    ffma, leave = instructions.to_list()
    assert (ffma["address"], ffma["text"], ffma["source"]) == (0, "FFMA R1, R2, R3, R4", "dot.cu:7")
    assert ffma["predicted"] == {"wait": 120 * 132, "selected": 40 * 132}
    assert ffma["measured"] == pytest.approx({"wait": 120 * 132, "selected": 40 * 132})
    assert (ffma["predicted_share"], ffma["measured_share"]) == (0.8, 0.8)
    assert (leave["samples"], leave["source"]) == (10, "")


def test_the_hottest_instruction_is_the_one_that_waits_most():
    agrees = against({"wait": {0: 30}, "selected": {1: 90}}).instructions
    assert agrees.hottest_agrees
    differs = against({"wait": {0: 1}, "barrier": {1: 40}}).instructions
    assert (differs.hottest_agrees, differs.hottest_within_error) == (False, False)
    assert differs.hottest_to_dict()["measured"] == 16


def test_few_samples_do_not_tell_two_instructions_apart():
    close = against({"wait": {0: 20, 1: 24}}).instructions
    assert (close.hottest_agrees, close.hottest_within_error) == (False, True)
    assert close.hottest_repeats == pytest.approx(0.6, abs=0.1)  # 24 of 44 are ahead in about three profiles of four
    assert against({"wait": {0: 20, 1: 240}}).instructions.hottest_repeats == 1.0
    assert against({"selected": {0: 20}}).instructions.hottest_repeats == 1.0


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (500, 1000, 0.4691, 0.5309)],
)
def test_the_sampling_error_is_wilsons(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("stalls", "message"),
    [({"napping": {0: 1}}, "unknown stall reason 'napping'"), ({"wait": {2: 1}}, "instruction 2 .*the kernel has 2")],
)
def test_samples_of_what_there_is_not_are_refused(stalls, message):
    with pytest.raises(MeasurementError, match=message):
        against(stalls)


def test_without_samples_there_is_no_comparison():
    assert compared().instructions is None
    assert against({"wait": {0: 0}}).instructions is None
    assert "no samples were recorded" in rendered(instruction_table(compared()))


def test_table_has_shares_errors_and_reasons():
    text = rendered(instruction_table(against({"wait": {0: 80}, "barrier": {1: 120}})))
    ffma = next(line for line in text.splitlines() if "FFMA" in line)
    expected = "0x0000 FFMA R1, R2, R3, R4 dot.cu:7 80.0% 40.0% ±6.7 ! wait 100% wait 100%"
    assert " ".join(ffma.split()) == expected
    assert "200 samples, one per 32 cycles of an SM" in text
    assert "Hottest instruction: 0x0000 predicted, 0x0010 measured: differs" in text
