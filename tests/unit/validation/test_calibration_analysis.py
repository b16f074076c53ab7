"""From what the runner writes to recordings, values and tables."""

import json

import numpy as np
import pytest

from validation.calibration import record
from validation.calibration.analyse import elapsed, fixed_latencies, issue_intervals
from validation.calibration.recordings import Recordings
from validation.calibration.tables import show

ENVIRONMENT = {"gpu": "NVIDIA H100 80GB HBM3", "driver": "580.0", "date": "2026-01-01"}


def run(path, programs, failed=None):
    """Write an .npz as the runner does: `programs` are (name, kind, meta, {launch: words [repeat][warp][record]})."""
    manifest, arrays = [], {}
    for i, (name, kind, meta, launches) in enumerate(programs):
        manifest.append(
            {"name": name, "kind": kind, "meta": meta, "launches": [{"label": label} for label in launches]}
        )
        arrays |= {f"{i}_{n}": np.array(words, dtype=np.uint32) for n, words in enumerate(launches.values())}
    arrays["programs"] = np.array(json.dumps(manifest))
    arrays["environment"] = np.array(json.dumps(ENVIRONMENT))
    arrays["failed"] = np.array(json.dumps(failed or {}))
    np.savez(path, **arrays)
    return path


def test_elapsed_time_runs_from_the_first_warp_to_the_last_and_over_the_wrap_of_the_clock(tmp_path):
    wrapping = [[[2**32 - 10, 2**32 - 2], [2**32 - 4, 30]], [[100, 110], [103, 141]]]
    path = run(tmp_path / "x.npz", [("x/a", "elapsed", {"lead": 8}, {"2": wrapping})])
    recording = record.condense(path)
    assert recording["programs"]["x/a"]["launches"]["2"] == [40, 41]
    (value,) = elapsed(recording)
    assert (value.median, value.low, value.high) == (32.5, 32, 33)
    assert str(value) == "32.5 (32..33)"


def test_issue_interval_is_the_slope_between_two_row_lengths_per_warp(tmp_path):
    rows = [
        (
            f"row/FFMA/{count}",
            "elapsed",
            {"count": count},
            {"1": [[[0, 10 + 2 * count]]], "4x2": [[[0, 50 + 6 * count]]]},
        )
        for count in (32, 96)
    ]
    values = {value.launch: value for value in issue_intervals(record.condense(run(tmp_path / "x.npz", rows)))}
    assert (values["1"].name, values["1"].median) == ("row/FFMA", 2)
    assert values["4x2"].median == 3


def test_a_latency_is_the_first_distance_after_the_last_old_value(tmp_path):
    distances = {"distances": [0, 1, 2, 3, 30]}
    programs = [
        ("latency/A/B", "words", distances, {"1": [[[7, 7, 7, 9, 9]], [[7, 7, 7, 9, 9]]]}),
        ("latency/A/C", "words", distances, {"1": [[[7, 7, 9, 9, 9]], [[7, 7, 7, 9, 9]]]}),
        ("latency/A/D", "words", distances, {"1": [[[7, 7, 7, 7, 7]]]}),
        ("latency/A/E", "words", distances, {"1": [[[7, 5, 9, 9, 9]]]}),
    ]
    recording = record.condense(run(tmp_path / "x.npz", programs))
    assert recording["programs"]["latency/A/C"]["launches"]["1"] == ["oonnn", "ooonn"]
    found = fixed_latencies(recording)
    assert found == {("A", "B"): 3, ("A", "C"): 3, ("A", "D"): None, ("A", "E"): 1}


def test_timelines_entries_paths_and_scans(tmp_path):
    programs = [
        ("t", "timeline", {}, {"1": [[[5, 9], [7, 8]], [[15, 19], [17, 18]]]}),
        ("e", "entries", {}, {"1": [[[50, 3, 9, 80], [60, 4, 9, 90], [1, 5, 8, 2]]]}),
        ("p", "path", {}, {"1": [[[50, 60, 0, 90]]]}),
        ("s", "scan", {}, {"1": [[[1, 11, 20, 31]], [[1, 13, 20, 31]], [[1, 12, 20, 31]]]}),
    ]
    recording = record.condense(run(tmp_path / "x.npz", programs))
    launches = {name: program["launches"]["1"] for name, program in recording["programs"].items()}
    assert launches["t"] == [[[0, 4], [2, 3]]]
    assert launches["e"] == [[[9, 3, 0, 30], [9, 4, 10, 40]]]
    assert launches["p"] == [[0, 10, None, 40]]
    assert launches["s"] == [[11, 11]]


def test_spans_cycles_and_the_turnover_of_blocks(tmp_path):
    two_sms = [[100, 0, 7, 150], [400, 0, 7, 450], [90, 0, 8, 130], [330, 0, 8, 370], [560, 0, 8, 600]]
    programs = [
        ("s", "spans", {}, {"1": [[[2**32 - 5, 2, 10], [2, 4, 8]]]}),
        ("c", "cycles", {}, {"1": [[[5, 2**32 - 1]], [[6, 7]]]}),
        ("t", "turnover", {}, {"1": [two_sms]}),
    ]
    recording = record.condense(run(tmp_path / "x.npz", programs))
    launches = {name: program["launches"]["1"] for name, program in recording["programs"].items()}
    assert launches["s"] == [[7, 9, 15]]
    assert launches["c"] == [[[5, -1]], [[6, 7]]]
    assert launches["t"] == [[190, 200.0, 250]]


def test_failed_programs_keep_their_names_and_reasons(tmp_path):
    programs = [("x/a", "elapsed", {}, {"1": [[[0, 1]]]}), ("x/b", "elapsed", {}, {})]
    path = run(tmp_path / "x.npz", programs, failed={"1": ["illegal instruction"]})
    record.write(path, tmp_path)
    recording = Recordings(tmp_path).recording("x")
    assert recording["failed"] == {"x/b": ["illegal instruction"]}
    assert "failed: x/b: illegal instruction" in list(show("x", recording))


@pytest.mark.parametrize("family", Recordings().families())
def test_the_kept_recordings_are_complete_and_printable(family):
    recording = Recordings().recording(family)
    assert recording["gpu"].startswith("NVIDIA H100")
    assert len(recording["failed"]) <= len(recording["programs"]) // 20
    assert len(list(show(family, recording))) > 5


def test_the_kept_recordings_say_what_is_known_of_the_h100():
    latencies = fixed_latencies(Recordings().recording("latency"))
    assert latencies["FFMA", "FFMA.a"] == 4
    assert latencies["IADD3", "FFMA.a"] == 5
    assert latencies["ISETP", "guard BRA"] == 13
    rates = {
        value.name: value.median
        for value in issue_intervals(Recordings().recording("throughput"))
        if value.launch == "1"
    }
    assert rates["throughput/FFMA"] == 1
    assert rates["throughput/IADD3"] == 2
    assert rates["throughput/MUFU.RCP"] == 8
