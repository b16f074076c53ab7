"""``smsim measure`` and ``smsim compare``, as far as they go without a GPU."""

import json
import os
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

import kernels
from isa.module import load_source
from isa.trace.model import Trace
from smsim.cli import main
from smsim.counts import Counts
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.result import Result, Setting
from validation import predict
from validation.compare import STALLS
from validation.identity import code_sha256
from validation.measurement import Measurement, MeasurementFile, load, save

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


KERNEL = kernels.get("chain_ffma_ilp1")


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A folder with a measurement of chain_ffma_ilp1/1x32, and a simulator that always counts 2000 cycles of wait."""
    program = load_source(KERNEL.code, KERNEL.options, KERNEL.source.name).program(KERNEL.entry)
    counters = dict.fromkeys(STALLS.values(), (0.0, 0.0))
    counters |= {STALLS["wait"]: (1500.0, 1500.0), STALLS["selected"]: (500.0, 500.0)}
    counters |= {"sm__cycles_active.max": (1900.0, 2100.0), "gpu__time_duration.sum": (1000.0, 1000.0)}
    launch = KERNEL.launch("1x32")
    good = Measurement(
        launch=launch.name,
        function=program.name,
        grid=launch.grid,
        block=launch.block,
        dynamic_shared_bytes=0,
        seed=0,
        arguments_sha256="",
        cubin_sha256="",
        code_sha256=code_sha256(program),
        measured_with={},
        status="ok",
        runs=("warm", "warm"),
        counters=counters | {"smsp__inst_executed.sum": (4222, 4222)},
    )
    other = KERNEL.launch("1x128")
    stale = {"launch": other.name, "block": other.block, "code_sha256": "0"}
    file = MeasurementFile(
        format=1,
        gpu="NVIDIA H100 80GB HBM3",
        kernel=KERNEL.name,
        case_class="chain",
        launches=(good, msgspec.structs.replace(good, **stale)),
    )
    save(tmp_path / "recorded", file)
    monkeypatch.setattr(predict, "simulate", count_2000_cycles_of_wait)


def count_2000_cycles_of_wait(trace: Trace, machine: Machine, cache: str) -> Result:
    warp_cycles = np.zeros((4, len(trace.program.instructions), len(Reason)), np.int64)
    warp_cycles[0, 0, Reason.WAIT] = 2000
    counts = Counts(cycles=2200, warp_cycles=warp_cycles, thread_instructions=0)
    setting = Setting(machine.name, {}, machine.clock_mhz, 64, cache, "auto", (0,))
    return Result(trace.program, trace.launch, setting, counts)


def test_compare_one_launch(smsim, recorded):
    code, out, error = smsim(
        "compare", KERNEL.name, "--launch", "1x32", "--cache", "warm", "--measurements", "recorded"
    )
    assert (code, error) == (0, "")
    assert "chain_ffma_ilp1/1x32, warm" in out
    assert "+10.0% (runs: 10.00%)" in out
    assert "exact" in out
    assert "distance 25.0%" in out


def test_compare_a_suite_as_json(smsim, recorded):
    options = ("--cache", "warm", "--measurements", "recorded", "--json", "-")
    code, out, error = smsim("compare", "--suite", "catalogue", *options)
    (one,) = json.loads(out)
    assert (one["case"], one["class"], one["cache"]) == ("chain_ffma_ilp1/1x32", "chain", "warm")
    assert one["predicted"]["stalls"]["wait"] == 2000
    assert one["measured"]["stalls"]["wait"] == 1500
    assert one["instructions_exact"] is True
    assert code == 1  # the other launch was measured with another cubin
    assert "not compared: chain_ffma_ilp1/1x128: the measurement is of another cubin" in error


def test_compare_a_suite_as_tables(smsim, recorded):
    _, out, _ = smsim("compare", "--suite", "catalogue", "--cache", "warm", "--measurements", "recorded")
    assert "selected -25.0" in out
    assert "1 of 1" in out


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
