"""``smsim measure``, as far as it goes without a GPU."""

import json

import pytest

from validation.measure_on_gpu.job import load_job
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


def test_collecting_says_which_launches_failed(smsim, tmp_path):
    (tmp_path / "scale.cu").write_text(SOURCE)
    assert smsim("measure", "scale.cu", *LAUNCH)[0] == 0
    results = tmp_path / ".measure" / "out" / "results.jsonl"
    records = [json.loads(line) for line in results.read_text().splitlines()]
    (run,) = (record for record in records if record["kind"] == "run")
    run.update(status="failed", message="no block fits")
    results.write_text("".join(json.dumps(record) + "\n" for record in records))
    _, _, error = smsim("measure", "--collect-only")
    assert "smsim: scale/1x64 failed: no block fits" in error


def test_measure_a_folder_and_add_a_second_recording(smsim, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "scale.cu").write_text(SOURCE)
    (tmp_path / "mine" / "launches.toml").write_text(
        '[[launch]]\nfile = "scale.cu"\ngrid = [1]\nblock = [64]\nargs = ["f32[64]=arange", "f32=2"]\n'
    )
    once = ("measure", "mine", "--cache", "warm", "--repeats", "2", "--no-samples")
    code, _, error = smsim(*once)
    assert code == 0, error
    assert "cycles, warm: runs differ by 66.67% (median of 1 launches), most: scale/1x64 66.67%" in error
    path = tmp_path / "measurements" / "h100-80gb-hbm3" / "scale.json"
    first = path.read_text()
    path.write_text(first.replace('"utc": "20', '"utc": "19'))  # as if of another day
    code, _, error = smsim("measure", "--collect-only", "--append")
    assert code == 0, error
    (measurement,) = load(path).launches
    assert measurement.runs == ("warm",) * 4
    assert [measurement.environment(run)["utc"][:2] for run in range(4)] == ["19", "19", "20", "20"]


def test_generated_programs_are_prepared_from_seeds(smsim, tmp_path):
    code, _, error = smsim("measure", "--generate", "registers:3-4", "--generate", "mixed:1:2x64", "--prepare-only")
    assert code == 0, error
    cases = load_job(tmp_path / ".measure" / "job").cases
    assert [case.case for case in cases] == [
        "registers_seed3_1x128/1x128",
        "registers_seed4_1x128/1x128",
        "mixed_seed1_2x64/2x64",
    ]
    assert all(case.clock is not None for case in cases)


def test_without_a_gpu_the_reason_is_all_that_is_said(smsim, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_GPUS", "0")
    (tmp_path / "scale.cu").write_text(SOURCE)
    code, _, error = smsim("measure", "scale.cu", *LAUNCH)
    assert code == 2
    assert error.splitlines()[-1] == "error: no NVIDIA GPU on this machine"


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
        (("measure", "dot_ilp4", "--suite", "catalogue"), "give kernels, a file"),
        (("measure", "--generate", "registers"), "--generate 'registers' is not PROFILE:SEED"),
        (("measure", "--generate", "tensor:1"), "the profiles are registers,"),
        (("measure", "."), "cannot read launches.toml"),
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
