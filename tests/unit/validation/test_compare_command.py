"""``smsim compare``, with a simulator that counts the same cycles for everything."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

import kernels
from isa.module import load_source
from isa.trace.model import Trace
from smsim.cli import comparing
from smsim.counts import Counts
from smsim.listeners import Listener
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.result import Result, Setting
from validation import contrast, plot, predict
from validation.compare import STALLS
from validation.expectations import Expectations, Tolerance
from validation.identity import code_sha256
from validation.measurement import Measurement, MeasurementFile, Samples, save
from validation.suites import kernel_names

KERNEL = kernels.get("chain_ffma_ilp1")
GPU = "NVIDIA H100 80GB HBM3"
SUITE = ("--suite", "catalogue", "--measurements", "recorded", "--jobs", "1")
GAP = ("chain_ffma_ilp1/1x32", "warm", "cycles")
ONE = ("--launch", "1x32", "--cache", "warm", "--measurements", "recorded")


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A folder with a measurement of chain_ffma_ilp1/1x32, and one of 1x128 with another cubin."""
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
        samples={"warm": Samples(interval_cycles=32, runs=1, stalls={"wait": {0: 40, 1: 10}})},
    )
    other = KERNEL.launch("1x128")
    stale = {"launch": other.name, "block": other.block, "code_sha256": "0"}
    launches = (good, msgspec.structs.replace(good, **stale))
    file = MeasurementFile(format=1, gpu=GPU, kernel=KERNEL.name, case_class="chain", launches=launches)
    save(tmp_path / "recorded", file)
    monkeypatch.setattr(predict, "simulate", count_cycles)
    monkeypatch.setattr(contrast, "simulate", count_cycles)
    return file


def count_cycles(
    trace: Trace, machine: Machine, cache: str, listeners: Sequence[Listener] = (), sms: int = 1
) -> Result:
    """2200 cycles, of which one warp waits 1999 at the first instruction, and issues it."""
    warp_cycles = np.zeros((4, len(trace.program.instructions), len(Reason)), np.int64)
    warp_cycles[0, 0, Reason.WAIT] = 1999
    warp_cycles[0, 0, Reason.SELECTED] = 1
    counts = Counts(cycles=2200, warp_cycles=warp_cycles, thread_instructions=0)
    setting = Setting(machine.name, {}, machine.clock_mhz, 64, cache, "auto", (0,))
    return Result(trace.program, trace.launch, setting, counts)


def test_one_launch(smsim, recorded):
    code, out, error = smsim("compare", KERNEL.name, *ONE)
    assert (code, error) == (0, "")
    assert "chain_ffma_ilp1/1x32, warm" in out
    assert "+10.0% (runs: 10.00%)" in out
    assert "exact" in out
    assert "distance 25.0%" in out


def test_instructions_beside_their_samples(smsim, recorded):
    _, out, _ = smsim("compare", KERNEL.name, *ONE, "--instructions")
    assert "50 samples, one per 32 cycles of an SM" in out
    assert "80.0% ±" in out
    assert "Hottest instruction: 0x0000 predicted, 0x0000 measured: agrees" in out


def test_a_suite_as_json(smsim, recorded):
    code, out, error = smsim("compare", *SUITE, "--cache", "warm", "--json", "-")
    (one,) = json.loads(out)
    assert (one["case"], one["class"], one["cache"]) == ("chain_ffma_ilp1/1x32", "chain", "warm")
    assert one["predicted"]["stalls"]["wait"] == 1999
    assert one["measured"]["stalls"]["wait"] == 1500
    assert one["instructions_exact"] is True
    assert one["hottest"]["agrees"] is True
    assert one["instructions"][1]["samples"] == 10
    assert code == 1  # the other launch was measured with another cubin
    assert "not compared: chain_ffma_ilp1/1x128: the measurement is of another cubin" in error


def test_a_suite_as_tables(smsim, recorded):
    _, out, _ = smsim("compare", *SUITE, "--cache", "warm")
    assert "+10.0%" in out
    assert "1 of 1" in out
    assert "chain, warm: hottest instruction agrees in 1 of 1" in out
    assert "promises" not in out  # they speak of smsim's own measurements alone


@pytest.mark.parametrize(
    ("promise", "outcome"),
    [
        ((0.15, {}), (0, "3 promises: 3 held")),
        ((0.05, {}), (1, "1x32 warm cycles: off by 0.100, tolerance 0.050: beyond tolerance")),
        ((0.05, {GAP: 1}), (0, "2 held, 1 known gaps")),
        ((0.15, {GAP: 1}), (1, "though known_gaps.csv lists it")),
    ],
)
def test_a_suite_is_a_gate(smsim, recorded, monkeypatch, promise, outcome):
    (tolerance, gaps), (code, verdict) = promise, outcome
    expectations = Expectations(tested=(), tolerance={"chain": {"warm": Tolerance(cycles=tolerance, stalls=0.5)}})
    monkeypatch.setattr(comparing, "RECORDED", Path("recorded"))
    monkeypatch.setattr(comparing, "load_expectations", lambda: expectations)
    monkeypatch.setattr(comparing, "load_known_gaps", lambda: gaps)
    judged = ("--measurements", "recorded", "--jobs", "1", "--cache", "warm", "--launch", "1x3*")
    got, out, error = smsim("compare", "--suite", "catalogue", *judged)
    assert got == code
    assert verdict in " ".join((out + error).split())
    changed, out, _ = smsim("compare", "--suite", "catalogue", *judged, "--set", "pipes.fma.latency=6")
    assert (changed, "promises" in out) == (0, False)  # nothing is promised of another machine


def test_two_machines_side_by_side(smsim, recorded):
    against = ("--against", "h100", "--set", "pipes.fma.latency=6", "--jobs", "1")
    code, out, error = smsim("compare", KERNEL.name, *ONE, *against)
    assert (code, error) == (0, "")
    header, cycles = out.splitlines()[:2]
    assert " ".join(header.split()) == "chain_ffma_ilp1/1x32, warm h100, pipes.fma.latency=6 h100 difference measured"
    assert cycles.split() == ["Cycles", "2,200", "2,200", "+0.0%", "2,000"]


def test_two_machines_need_no_measurement(smsim, recorded):
    options = ("--cache", "warm", "--measurements", "recorded", "--against", "h100", "--json", "-", "--jobs", "1")
    code, out, _ = smsim("compare", "chain_ffma_ilp2", "--launch", "1x32", *options)
    (one,) = json.loads(out)
    assert code == 0
    assert [side["machine"] for side in one["predicted"]] == ["h100", "h100"]
    assert one["measured"] is None


def test_a_plot_is_drawn(smsim, recorded, tmp_path):
    code, _, error = smsim("compare", KERNEL.name, *ONE, "--plot", "out.png")
    assert (code, error) == (0, "")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_a_plot_is_refused_before_the_work(smsim, recorded, monkeypatch):
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    code, out, error = smsim("compare", KERNEL.name, *ONE, "--plot", "out.png")
    assert (code, out) == (2, "")
    assert "--plot needs matplotlib: uv sync --extra plot" in error


@pytest.fixture
def folder(tmp_path, recorded):
    """A folder whose launches.toml lists chain_ffma_ilp1/1x32, of which there is a measurement, and 1x16."""
    path = tmp_path / "mine"
    path.mkdir()
    (path / "chain.cu").write_text(KERNEL.code)
    entry = {
        "file": "chain.cu",
        "kernel": KERNEL.entry,
        "name": KERNEL.name,
        "grid": [1],
        "args": [describe(argument) for argument in KERNEL.launch("1x32").arguments(0)],
        "options": list(KERNEL.options),
    }
    blocks = [f"[[launch]]\nblock = [{threads}]\n" for threads in (32, 16)]
    fields = "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
    (path / "launches.toml").write_text("".join(block + fields for block in blocks))
    return "mine"


def describe(argument):
    """An argument of a launch as ``--arg`` takes it."""
    names = {"float32": "f32", "int32": "i32", "uint32": "u32", "int64": "i64"}
    if np.ndim(argument):
        return f"{names[argument.dtype.name]}[{argument.size}]=zeros"
    return f"{names[argument.dtype.name]}={argument.item()}"


def test_a_folder_is_compared_with_what_was_measured_of_it(smsim, folder):
    options = ("--measurements", "recorded", "--cache", "warm", "--jobs", "1")
    code, out, error = smsim("compare", folder, *options)
    assert code == 1
    assert "smsim: not compared: chain_ffma_ilp1/1x16: not measured; smsim measure mine" in error
    assert " ".join(out.splitlines()[1].split()).startswith("chain_ffma_ilp1/1x32 warm 2,200 2,000 +10.0%")
    code, _, error = smsim("compare", folder, *options, "--launch", "1x32")
    assert (code, error) == (0, "")


def test_a_folder_on_two_machines(smsim, folder):
    options = ("--measurements", "recorded", "--cache", "warm", "--against", "h100", "--json", "-", "--jobs", "1")
    code, out, error = smsim("compare", folder, *options)
    assert (code, error) == (0, "")
    assert [one["case"] for one in json.loads(out)] == ["chain_ffma_ilp1/1x32", "chain_ffma_ilp1/1x16"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine", "dot_ilp4"), "compare the folder mine by itself"),
        (("mine/chain.cu",), "mine/chain.cu: list a file's launches in a launches.toml beside it"),
        (("mine",), "measurements holds no measurements of these kernels on h100-80gb-hbm3"),
        (("mine", "--launch", "9x*", "--measurements", "recorded"), "no launch '9x*' was recorded"),
    ],
)
def test_what_a_folder_is_not_compared_with(smsim, folder, arguments, message):
    code, _, error = smsim("compare", *arguments)
    assert code == 2
    assert message in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give kernels, a folder with a launches.toml, or --suite open, catalogue or generated"),
        (("dot_ilp4", "--suite", "open"), "give kernels, a folder with a launches.toml, or --suite"),
        (("--suite", "mine"), "no suite 'mine'; the suites are open, catalogue, generated"),
        (("dot_ilp5",), "no kernel 'dot_ilp5'"),
        (("dot_ilp4", "--measurements", "nowhere"), "cannot read the measurement nowhere"),
        (
            ("--suite", "catalogue", "--gpu", "h9"),
            "no measurements of these kernels on h9; the GPUs measured are: h100",
        ),
        (
            ("--suite", "catalogue", "--class", "chains"),
            "no class 'chains' was recorded; the classes are adds, async_copy",
        ),
        (("dot_ilp4", "--launch", "9x*"), "no launch '9x*' was recorded; the launches are 132x256"),
        (
            ("dot_ilp4", "--against", "h100", "--launch", "9x*"),
            "no launch matches 9x*; the launches are dot_ilp4",
        ),
        (("dot_ilp4", "--against", "h100", "--instructions"), "leave out --instructions"),
        (("dot_ilp4", "--against", "h101"), "h101"),
        (("dot_ilp4", "--plot", "out.pdf"), "out.pdf must end in .png"),
        (("dot_ilp4", "--plot", "no/out.png"), "there is no folder no"),
    ],
)
def test_bad_requests_say_what_is_wrong(smsim, arguments, message):
    code, out, error = smsim("compare", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(error.split())
    assert "Traceback" not in error


def test_another_gpus_file_is_refused(smsim, recorded, tmp_path):
    (tmp_path / "recorded" / "h100-80gb-hbm3").rename(tmp_path / "recorded" / "h200")
    code, _, error = smsim("compare", KERNEL.name, "--measurements", "recorded", "--gpu", "h200")
    assert code == 2
    assert "measured on 'NVIDIA H100 80GB HBM3', but h200 is asked for" in error


def test_a_damaged_file_is_refused(smsim, recorded, tmp_path):
    path = tmp_path / "recorded" / "h100-80gb-hbm3" / f"{KERNEL.name}.json"
    path.write_bytes(path.read_bytes()[:-100])
    code, _, error = smsim("compare", *SUITE)
    assert code == 2
    assert "damaged measurement file" in error


def test_a_suite_has_every_kernel_once():
    everything = kernel_names("open")
    assert everything == (*kernel_names("catalogue"), *kernel_names("generated"))
    assert len(everything) == len(set(everything))
