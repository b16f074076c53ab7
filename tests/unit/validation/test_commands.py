"""``smsim measure``, as far as it goes without a GPU."""

import json

import pytest

from validation.measurement import load

SOURCE = 'extern "C" __global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }\n'
LAUNCH = ("--grid", "1", "--block", "64", "--arg", "f32[64]=arange", "--arg", "f32=2")


def test_measure_a_file(smsim, tmp_path):
    (tmp_path / "scale.cu").write_text(SOURCE)
    code, _, error = smsim("measure", "scale.cu", *LAUNCH)
    assert code == 0, error
    file = load(tmp_path / "measurements" / "h100-80gb-hbm3" / "scale.json")
    (measurement,) = file.launches
    assert (file.case_class, measurement.launch, measurement.status) == ("user", "1x64", "ok")
    assert measurement.runs == ("warm", "warm", "cold", "cold")


def test_prepare_here_and_collect_later(smsim, tmp_path):
    code, _, error = smsim("measure", "dot_ilp4", "--launch", "1x256_n65536", "--prepare-only", "--seed", "3")
    assert code == 0, error
    (case,) = json.loads((tmp_path / ".measure" / "job" / "job.json").read_text())["cases"]
    assert (case["kernel"], case["seed"]) == ("dot_ilp4", 3)
    code, _, error = smsim("measure", "--collect-only")
    assert code == 2
    assert "holds no results of the job" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("measure",), "give kernels, a file"),
        (("measure", "--suite", "mine"), "no suite 'mine'"),
        (("measure", "dot_ilp5"), "no kernel 'dot_ilp5'"),
        (("measure", "dot_ilp4", "--launch", "1x1"), "has no launch '1x1'"),
        (("measure", "--prepare-only", "--collect-only"), "not both"),
    ],
)
def test_bad_requests_say_what_is_wrong(smsim, arguments, message):
    code, out, error = smsim(*arguments)
    assert (code, out) == (2, "")
    assert message in error
    assert "Traceback" not in error
