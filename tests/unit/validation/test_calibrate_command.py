"""`smsim calibrate`, as far as it goes without a GPU."""

import json
import shutil
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from smsim.machine import MACHINES, load
from validation.calibration import bundle, job
from validation.calibration.recordings import RESULTS

from .calibration_recordings import GPU


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


@pytest.fixture
def calibrate(smsim):
    """Run the command."""
    return lambda *arguments: Done(*smsim("calibrate", *map(str, arguments)))


@pytest.fixture
def raw(tmp_path):
    """A folder in which the runner left one result: MUFU takes 18 cycles, not 17."""
    folder = tmp_path / "work"
    (folder / job.RAW).mkdir(parents=True)
    programs = [
        {"name": "variable/MUFU.RCP/write", "kind": "elapsed", "meta": {"lead": 8}, "launches": [{"label": "1"}]}
    ]
    np.savez(
        folder / job.RAW / "variable.npz",
        programs=np.array(json.dumps(programs)),
        environment=np.array(json.dumps({"gpu": GPU, "driver": "999.0", "date": "2027-01-02"})),
        failed=np.array("{}"),
        **{"0_0": np.array([[[100, 126]], [[7, 33]]], dtype=np.uint32)},
    )
    return folder


def test_collecting_writes_a_machine_file_of_its_own(calibrate, raw, tmp_path):
    target = tmp_path / "mine.toml"
    done = calibrate(target, "--collect-only", "--folder", raw)
    assert done.code == 0, done.err
    machine, before = load(target), load("h100")
    assert machine.value("pipes.xu.latency") == 18
    assert (machine.measured.gpu, machine.measured.driver) == (GPU, "999.0")
    origin = machine.provenance["pipes.xu.latency"]
    assert (origin.date, origin.spread, origin.source) == ("2027-01-02", 0, "variable: variable/MUFU.RCP/write")
    assert machine.value("pipes.lsu.latency") == before.value("pipes.lsu.latency")
    assert "pipes.xu.latency" in done.out
    assert "differs" in done.out


def test_the_packages_own_file_is_never_the_default(calibrate, raw, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = (MACHINES / "h100.toml").read_bytes()
    assert calibrate("--collect-only", "--folder", raw).code == 0
    assert (tmp_path / "h100.toml").is_file()
    assert (MACHINES / "h100.toml").read_bytes() == before


def test_preparing_writes_what_a_gpu_machine_needs(calibrate, tmp_path):
    folder = tmp_path / "carried"
    done = calibrate("--prepare-only", "--folder", folder, "--family", "l2_bandwidth")
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == ["l2_bandwidth.zip", "runner.py"]


def test_without_a_gpu_it_says_what_to_do(calibrate, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    done = calibrate("--folder", tmp_path / "work")
    assert done.code == 2
    assert "no CuPy here: pip install cupy-cuda13x; smsim calibrate --prepare-only writes" in done.err
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: object())
    monkeypatch.setenv("PATH", str(tmp_path))
    done = calibrate("--folder", tmp_path / "work")
    assert done.code == 2
    assert "no NVIDIA GPU here: nvidia-smi does not answer" in done.err


def test_the_runner_says_that_it_has_nothing_to_run(tmp_path):
    shutil.copy(job.runner.__file__, tmp_path)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "runner.py")], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert "no bundles here; smsim calibrate --prepare-only writes them" in done.stderr


def test_an_unknown_family_is_refused(calibrate, tmp_path):
    done = calibrate("--prepare-only", "--folder", tmp_path, "--family", "latencies")
    assert done.code == 2
    assert f"no family 'latencies'; the families are {', '.join(bundle.FAMILIES)}" in done.err


def test_nothing_to_collect_and_a_damaged_result_are_refused(calibrate, raw, tmp_path):
    done = calibrate("--collect-only", "--folder", tmp_path / "empty")
    assert done.code == 2
    assert "out has no .npz files; python3" in done.err
    (raw / job.RAW / "variable.npz").write_bytes(b"no archive")
    done = calibrate("--collect-only", "--folder", raw)
    assert done.code == 2
    assert "variable.npz: damaged" in done.err


def test_one_thing_at_a_time(calibrate):
    done = calibrate("--check", "--prepare-only")
    assert done.code == 2
    assert "give one of --prepare-only, --collect-only, --check" in done.err


def test_checking_prints_what_does_not_agree_and_fails(calibrate):
    changed = calibrate("--check")
    assert changed.out.splitlines()[-1].startswith(f"{len(list(load('h100').values()))} values: ")


def test_a_second_run_against_the_kept_one(calibrate, raw):
    assert calibrate("--against", RESULTS).code == 0
    recordings = job.collect(raw)
    done = calibrate("--against", recordings)
    assert done.code == 1
    assert "differs" in done.out


def test_showing_a_recording(calibrate):
    done = calibrate("--show", "latency")
    assert done.code == 0
    assert "least issue distance" in done.out
    done = calibrate("--show", "nothing")
    assert done.code == 2
    assert "nothing.json: No such file" in done.err


def test_the_compilers_disagreements(calibrate):
    done = calibrate("--compiler")
    assert done.code == 0
    assert "redirected_fp64" in done.out
    assert "ptxas keeps more than needed" in done.out
