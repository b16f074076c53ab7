"""``smsim measure`` and ``smsim compare``, as far as they go without a GPU."""

import json
import os
import sys
from pathlib import Path

import pytest

from smsim.cli import main
from validation.measurement import load

FAKE_GPU = Path(__file__).with_name("fake_gpu")
SOURCE = 'extern "C" __global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }\n'


@pytest.fixture
def smsim(monkeypatch, tmp_path, capfd):
    """Run a command in an empty folder, with the fake GPU; returns the exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(FAKE_GPU))
    monkeypatch.setenv("PATH", f"{FAKE_GPU}{os.pathsep}{os.environ['PATH']}")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["smsim", *arguments])
        code = 0
        try:
            main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


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
        (("measure",), "give kernels of the catalogue, a file, or --suite catalogue"),
        (("measure", "--suite", "mine"), "no suite 'mine'"),
        (("measure", "dot_ilp5"), "no kernel 'dot_ilp5'"),
        (("measure", "dot_ilp4", "--launch", "1x1"), "has no launch '1x1'"),
        (("measure", "--prepare-only", "--collect-only"), "not both"),
        (("compare",), "give kernels of the catalogue, or --suite catalogue"),
        (("compare", "--suite", "mine"), "no suite 'mine'"),
        (("compare", "dot_ilp5"), "no kernel 'dot_ilp5'"),
        (("compare", "dot_ilp4", "--measurements", "nowhere"), "cannot read the measurement nowhere"),
        (("compare", "--suite", "catalogue", "--gpu", "h9"), "no measurements of the catalogue on h9"),
    ],
)
def test_bad_requests_say_what_is_wrong(smsim, arguments, message):
    code, out, error = smsim(*arguments)
    assert (code, out) == (2, "")
    assert message in error
    assert "Traceback" not in error
