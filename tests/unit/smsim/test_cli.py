import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernels
from tests.golden.harness import CASES, run

SAXPY = str(CASES / "run_saxpy" / "saxpy.cu")
TWICE = ["run", SAXPY, "--kernel", "twice", "--grid", "1", "--block", "32", "--arg", "f32[32]=random"]


def test_json_on_stdout_is_the_only_output(tmp_path: Path) -> None:
    outcome = run([*TWICE, "--json", "-"], tmp_path)
    assert outcome.code == 0
    document = json.loads(outcome.out)
    assert document["kernel"] == "twice"
    assert sum(document["stalls"].values()) == document["metrics"]["smsp__warps_active.sum"]


def test_files_are_written_beside_the_report(tmp_path: Path) -> None:
    files = ["--json", "out.json", "--csv", "out.csv", "--trace-out", "out.trace", "--timeline", "out.timeline"]
    assert "Where the warps were" in run([*TWICE, *files], tmp_path).out
    document = json.loads((tmp_path / "out.json").read_text())
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == [row["text"] for row in document["instruction_stalls"]]
    assert (tmp_path / "out.trace").stat().st_size > 0
    events = json.loads((tmp_path / "out.timeline").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == document["instructions"]


def test_a_saved_trace_runs_again(tmp_path: Path) -> None:
    first = run([*TWICE, "--trace-out", "out.trace"], tmp_path)
    assert run(["run", "out.trace"], tmp_path).out == first.out


def test_a_saved_trace_takes_no_launch(tmp_path: Path) -> None:
    outcome = run(["run", "out.trace", "--grid", "3", "--arg", "i32=1"], tmp_path)
    assert outcome.code == 2
    assert "leave out --grid and --arg" in outcome.err


def test_changes_of_the_machine_reach_the_simulation(tmp_path: Path) -> None:
    plain = json.loads(run([*TWICE, "--json", "-"], tmp_path).out)
    slow = json.loads(run([*TWICE, "--json", "-", "--set", "gpu.clock_mhz=1000"], tmp_path).out)
    assert slow["cycles"] == plain["cycles"]
    overhead = plain["time_us"] - plain["cycles"] / 1980
    assert slow["time_us"] == pytest.approx(slow["cycles"] / 1000 + overhead)
    assert overhead > 0
    assert slow["setting"]["overrides"] == {"gpu.clock_mhz": 1000}


def test_check_compares_the_outputs_of_a_catalogue_kernel(tmp_path: Path) -> None:
    outcome = run(["run", "chain_ffma_ilp4", "--launch", "1x32", "--check"], tmp_path)
    assert outcome.code == 0
    assert "outputs match the NumPy reference" in outcome.err


def test_check_fails_when_an_output_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.Expected, "differs", lambda _, actual: np.ones(actual.shape, bool))
    outcome = run(["run", "chain_ffma_ilp4", "--launch", "1x32", "--check"], tmp_path)
    assert outcome.code == 1
    assert "128 of 128 elements differ from the NumPy reference; the first, [0]," in outcome.err


def test_check_needs_a_catalogue_kernel(tmp_path: Path) -> None:
    outcome = run([*TWICE, "--check"], tmp_path)
    assert outcome.code == 2
    assert "--check needs a kernel of the catalogue" in outcome.err


def test_kernels_lists_the_catalogue_for_people_and_programs(tmp_path: Path) -> None:
    assert "chain_ffma_ilp4" in run(["kernels", "chain"], tmp_path).out
    document = json.loads(run(["kernels", "--json", "-"], tmp_path).out)
    entry = next(kernel for kernel in document if kernel["name"] == "dot_ilp4")
    assert entry["family"] == "dot"
    assert entry["launches"][0]["grid"][0] > 0
    assert "no family 'chian'" in run(["kernels", "chian"], tmp_path).err


def test_machine_shows_each_value_with_its_source(tmp_path: Path) -> None:
    document = json.loads(run(["machine", "--json", "-"], tmp_path).out)
    assert document["machine"] == "h100"
    assert [path for path, entry in document["values"].items() if not entry["source"]] == []
    table = run(["machine", "--under", "gpu.", "--set", "gpu.num_sms=7"], tmp_path).out
    assert "set by the user" in table
    assert "pipes." not in table
    assert "has no value under 'nothing'" in run(["machine", "--under", "nothing"], tmp_path).err


def test_a_file_that_cannot_be_written_is_a_bad_request(tmp_path: Path) -> None:
    outcome = run([*TWICE, "--json", "missing/out.json"], tmp_path)
    assert outcome.code == 2
    assert "cannot write missing/out.json" in outcome.err


def test_no_traceback_when_the_reader_of_a_pipe_leaves() -> None:
    command = f"{sys.executable} -c 'from smsim.cli import main; main()' kernels | head -n 1"
    answer = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert answer.stdout.startswith("Kernel")
    assert answer.stderr == ""


def test_a_terminal_without_unicode_gets_the_report() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "30"}
    command = [sys.executable, "-c", "from smsim.cli import main; main()", "kernels"]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0
    assert answer.stdout.isascii()


def test_ctrl_c_ends_with_130() -> None:
    program = (
        "import sys, kernels\n"
        "def interrupt(): raise KeyboardInterrupt\n"
        "kernels.families = interrupt\n"
        "sys.argv = ['smsim', 'kernels']\n"
        "from smsim.cli import main; main()\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 130
    assert answer.stderr == ""


def test_bytecode_is_kept_where_none_may_lie_beside_the_sources(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", "from smsim.cli import main; main()", "--help"]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    assert list((tmp_path / "smsim" / "bytecode").rglob("app.*.pyc"))
