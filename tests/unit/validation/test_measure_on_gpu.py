"""The half that runs on the GPU machine, with a fake CuPy, ncu and nvidia-smi."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from validation.collect import collect
from validation.measure_on_gpu import watched
from validation.measure_on_gpu.job import Case, MeasureError, arguments_sha256
from validation.measure_on_gpu.watched import ROOT, watch
from validation.measurement import Samples, load
from validation.prepare import Prepared, write_job

FAKE_GPU = Path(__file__).with_name("fake_gpu")


def prepared(function: str, expected_factor: float | None = None) -> Prepared:
    values, cycles = np.arange(4, dtype=np.float32), np.zeros(2, np.int64)
    arrays = [values, cycles]
    expected = []
    if expected_factor is not None:
        arrays.append(values * np.float32(expected_factor))
        digest = arguments_sha256(arrays[-1:])
        expected = [{"argument": 0, "array": digest, "relative": 0.0, "absolute": 0.0}]
    factor = np.float32(2)
    described = [{"array": arguments_sha256([array])} for array in (values, cycles)]
    case = Case(
        case=f"{function}/1x64",
        kernel=function,
        launch="1x64",
        case_class="user",
        function=function,
        cubin_sha256=hashlib.sha256(b"cubin").hexdigest(),
        code_sha256="1" * 64,
        grid=(1, 1, 1),
        block=(64, 1, 1),
        dynamic_shared_bytes=0,
        seed=None,
        arguments_sha256=arguments_sha256([values, cycles, factor]),
        arguments=(*described, {"scalar": 2.0, "dtype": "float32"}),
        expected=tuple(expected),
        clock=1,
    )
    return Prepared(case, b"cubin", tuple(arrays))


def start(tmp_path: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    path = f"{FAKE_GPU}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PYTHONPATH": str(FAKE_GPU), "PATH": path, **environment}
    folders = [str(tmp_path / "job"), str(tmp_path / "out")]
    command = [sys.executable, "-m", "validation.measure_on_gpu", *folders, *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=settings, stdout=pipe, stderr=pipe, text=True)


def measure(tmp_path: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    process = start(tmp_path, *options, **environment)
    out, error = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)


def records(tmp_path: Path, kind: str) -> list[dict]:
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    return [record for record in map(json.loads, lines) if record["kind"] == kind]


def test_measures_checks_and_profiles(tmp_path):
    write_job(tmp_path / "job", [prepared("double", expected_factor=2.0)])
    done = measure(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (run,) = records(tmp_path, "run")
    assert (run["status"], run["writes"], run["clock64"]) == ("ok", [0, 1], [[7, 7], [7, 7]])
    assert run["event_us"] == {"median": 5.0, "min": 5.0, "launches": 101}
    counters = records(tmp_path, "counters")
    assert [(record["cache"], record["repeat"]) for record in counters] == [
        ("warm", 0),
        ("warm", 1),
        ("cold", 0),
        ("cold", 1),
    ]
    assert counters[0]["counters"]["smsp__inst_executed.sum"] == 1000
    assert "samples" not in counters[1]  # the first repeat is sampled
    assert counters[0]["samples"] == {
        "interval_cycles": 32,
        "stalls": {"wait": {"0": 3, "2": 4}, "no_instruction": {"1": 2}},
    }
    assert not list((tmp_path / "out").glob("*.ncu-rep"))
    (environment,) = records(tmp_path, "environment")
    assert environment["gpu"] == "NVIDIA H100 80GB HBM3"
    assert environment["ncu"] == "2025.3.1.0"
    assert any("dram__bytes_read.sum" in note["message"] for note in records(tmp_path, "note"))


def test_collects_into_a_measurement_file(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    measure(tmp_path)
    (path,) = collect(tmp_path / "job", tmp_path / "out", tmp_path / "measurements")
    assert path == tmp_path / "measurements" / "h100-80gb-hbm3" / "double.json"
    (measurement,) = load(path).launches
    assert measurement.figures("smsp__inst_executed.sum", "warm") == [1000, 1000]
    assert (measurement.clock64.first, measurement.clock64.again) == ((7, 7), ((7, 7),))
    assert measurement.samples["cold"] == Samples(
        interval_cycles=32, runs=1, stalls={"no_instruction": {1: 2}, "wait": {0: 3, 2: 4}}
    )
    assert measurement.measured_with["driver"] == "580.159.04"


def test_goes_on_where_it_stopped(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    measure(tmp_path)
    results = tmp_path / "out" / "results.jsonl"
    lines = results.read_text().splitlines(keepends=True)
    results.write_text("".join(lines[:-1]) + lines[-1][:20])  # killed while it wrote the last line
    assert measure(tmp_path).returncode == 0
    assert len(records(tmp_path, "run")) == 1
    assert len(records(tmp_path, "counters")) == 4
    assert len(records(tmp_path, "environment")) == 2


def test_samples_are_added_to_a_run_that_took_none(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    assert measure(tmp_path, "--no-samples", "--cache", "warm", "--repeats", "1").returncode == 0
    assert "samples" not in records(tmp_path, "counters")[0]
    assert measure(tmp_path, "--cache", "warm", "--repeats", "1").returncode == 0
    assert len(records(tmp_path, "counters")) == 2
    (path,) = collect(tmp_path / "job", tmp_path / "out", tmp_path / "measurements")
    (measurement,) = load(path).launches
    assert measurement.runs == ("warm",)
    assert measurement.samples["warm"].runs == 1
    assert len(measurement.environments) == 2
    assert measurement.environment(0) == measurement.environments[1]


def test_clocks_only_neither_times_nor_profiles(tmp_path):
    write_job(tmp_path / "job", [prepared("double", expected_factor=2.0)])
    assert measure(tmp_path, "--clocks-only", "--repeats", "3").returncode == 0
    (run,) = records(tmp_path, "run")
    assert (run["status"], run["clock64"], run["event_us"]) == ("ok", [[7, 7]] * 3, None)
    assert not records(tmp_path, "counters")
    measure(tmp_path, "--no-counters")
    assert records(tmp_path, "run")[-1]["event_us"]["launches"] == 101


def test_dropped_samples_are_left_out_with_a_note(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    done = measure(tmp_path, "--cache", "warm", "--repeats", "1", FAKE_NCU_DROPPED="64")
    assert done.returncode == 0
    assert "no samples of double/1x64, warm: the hardware dropped 64 bytes of samples" in done.stdout
    (path,) = collect(tmp_path / "job", tmp_path / "out", tmp_path / "measurements")
    (measurement,) = load(path).launches
    assert (measurement.runs, measurement.samples) == (("warm",), {})


def test_the_time_is_taken_in_a_run_of_its_own(tmp_path):
    """Counters that need several passes would disturb it."""
    write_job(tmp_path / "job", [prepared("double")])
    measure(tmp_path, "--cache", "cold", FAKE_NCU_ASKED=str(tmp_path / "asked"))
    most, alone = ((tmp_path / "asked").read_text().splitlines()[at].split() for at in (0, 1))
    assert "gpu__time_duration.sum" not in most
    assert set(alone) <= {"gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"}
    counters = records(tmp_path, "counters")[0]["counters"]
    assert {"gpu__time_duration.sum", "smsp__inst_executed.sum"} <= set(counters)


def test_without_nvidias_module_the_counters_go_on(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    (tmp_path / "bin").mkdir()
    shutil.copy(FAKE_GPU / "ncu", tmp_path / "bin" / "ncu")
    path = f"{tmp_path / 'bin'}{os.pathsep}{FAKE_GPU}{os.pathsep}{os.environ['PATH']}"
    options = ("--cache", "warm", "--repeats", "1")
    done = measure(tmp_path, *options, PATH=path)
    assert done.returncode == 0
    assert "no samples per instruction: no ncu_report.py beside ncu" in done.stdout
    assert "samples" not in records(tmp_path, "counters")[0]
    done = measure(tmp_path, *options, "--ncu-python", str(FAKE_GPU / "extras" / "python"), PATH=path)
    assert records(tmp_path, "counters")[-1]["samples"]["interval_cycles"] == 32
    done = measure(tmp_path, *options, "--ncu-python", str(tmp_path), PATH=path)
    assert done.returncode == 2
    assert f"no ncu_report.py in {tmp_path}" in done.stderr


def test_an_unreadable_report_is_an_error_and_times_are_kept(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    done = measure(tmp_path, FAKE_NCU_DAMAGE="1")
    assert done.returncode == 2
    assert "ncu cannot read its report" in done.stderr
    assert len(records(tmp_path, "run")) == 1


def test_a_failing_kernel_costs_only_its_own_figures(tmp_path):
    write_job(tmp_path / "job", [prepared("fail"), prepared("double")])
    done = measure(tmp_path)
    assert done.returncode == 0
    failed, good = records(tmp_path, "run")
    assert (failed["case"], failed["status"]) == ("fail/1x64", "failed")
    assert "illegal memory access" in failed["message"]
    assert good["status"] == "ok"
    assert {record["case"] for record in records(tmp_path, "counters")} == {"double/1x64"}


def test_wrong_outputs_are_recorded_as_wrong(tmp_path):
    write_job(tmp_path / "job", [prepared("double", expected_factor=3.0)])
    measure(tmp_path, "--no-counters")
    (run,) = records(tmp_path, "run")
    assert run["status"] == "wrong"
    assert "3 of 4 elements differ, the first at 1: 2.0 instead of 3.0" in run["message"]


def test_another_gpu_is_refused(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    measure(tmp_path, "--no-counters")
    done = measure(tmp_path, "--no-counters", FAKE_GPU_NAME="NVIDIA H200")
    assert done.returncode == 2
    assert "holds measurements of NVIDIA H100 80GB HBM3, this GPU is NVIDIA H200" in done.stderr


def test_forbidden_counters_are_explained_and_times_kept(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    done = measure(tmp_path, FAKE_NCU_ERROR="ERR_NVGPUCTRPERM")
    assert done.returncode == 2
    assert "may not read the GPU's performance counters" in done.stderr
    assert len(records(tmp_path, "run")) == 1


def test_a_machine_without_gpu_is_refused(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    done = measure(tmp_path, FAKE_GPUS="0")
    assert (done.returncode, done.stderr) == (2, "error: no NVIDIA GPU on this machine\n")


def test_a_machine_without_cupy_is_refused(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    (tmp_path / "cupy.py").write_text("raise ImportError('no cupy')")
    done = measure(tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "CuPy is not installed" in done.stderr


def test_a_machine_without_ncu_is_refused_unless_times_are_enough(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvidia-smi").symlink_to(FAKE_GPU / "nvidia-smi")
    done = measure(tmp_path, PATH=f"{tmp_path / 'bin'}:/bin")
    assert done.returncode == 2
    assert "ncu is not on the PATH" in done.stderr
    assert measure(tmp_path, "--no-counters", PATH=f"{tmp_path / 'bin'}:/bin").returncode == 0
    assert len(records(tmp_path, "run")) == 1


def test_nothing_starts_after_the_time_limit(tmp_path):
    write_job(tmp_path / "job", [prepared("double")])
    done = measure(tmp_path, "--time-limit", "0")
    assert done.returncode == 1
    assert "0 of 1 cases ran" in done.stdout


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda job: (job / "job.json").unlink(), "not a job folder"),
        (lambda job: (job / "job.json").write_text("{"), "not a job folder"),
        (lambda job: (job / "job.json").write_text('{"format": 99}'), "format 99"),
        (lambda job: next((job / "cubins").iterdir()).unlink(), "the cubin of double/1x64 is missing"),
        (lambda job: next((job / "cubins").iterdir()).write_bytes(b"cub"), "the cubin of double/1x64 is damaged"),
    ],
)
def test_a_damaged_job_is_refused(tmp_path, damage, message):
    write_job(tmp_path / "job", [prepared("double")])
    damage(tmp_path / "job")
    done = measure(tmp_path, "--no-counters")
    assert done.returncode == 2
    assert message in done.stderr


def test_an_interruption_ends_the_kernel_too_and_keeps_what_ran(tmp_path):
    write_job(tmp_path / "job", [prepared("double"), prepared("wait")])
    process = start(tmp_path, "--no-counters")
    progress = tmp_path / "out" / "progress.jsonl"
    for _ in range(300):
        if progress.exists() and progress.read_text().count("started") == 2:
            break
        time.sleep(0.1)
    process.terminate()
    _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert error == "interrupted; what is measured is kept, run it again to go on\n"
    assert not [line for line in command_lines() if str(progress) in line]
    assert [record["case"] for record in records(tmp_path, "run")] == ["double/1x64"]


def command_lines() -> list[str]:
    """The command lines of the processes that run (Linux)."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has just ended
            lines.append(path.read_text().replace("\0", " "))
    return lines


def test_a_process_that_cannot_be_ended_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(watched, "KILL_SECONDS", 0.1)
    monkeypatch.setattr(watched.os, "killpg", lambda pid, sign: None)
    command = [sys.executable, "-c", "import time; time.sleep(2)"]
    with pytest.raises(MeasureError, match="the GPU hangs; reset it"):
        watch(command, tmp_path / "progress", tmp_path / "output", item_seconds=0.1)


def test_a_hanging_launch_is_ended(tmp_path):
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    outcome = watch(command, tmp_path / "progress", tmp_path / "output", item_seconds=0.3)
    assert "hangs" in outcome.message
