"""Runs of one launch from two recordings."""

import msgspec
import pytest

from validation.measurement import Clock64, Measurement, MeasurementError, MeasurementFile, Samples, load, save
from validation.merge import add_runs, merge_samples

DAY_ONE, DAY_TWO = {"utc": "2026-11-20T10:00:00+00:00"}, {"utc": "2026-11-21T10:00:00+00:00"}


def samples(interval: int, **stalls: dict[int, int]) -> Samples:
    return Samples(interval_cycles=interval, runs=1, stalls=stalls)


def recording(**changes) -> Measurement:
    fields = {
        "launch": "1x32",
        "function": "dot",
        "grid": (1, 1, 1),
        "block": (32, 1, 1),
        "dynamic_shared_bytes": 0,
        "seed": 0,
        "arguments_sha256": "a",
        "cubin_sha256": "b",
        "code_sha256": "c",
        "measured_with": DAY_ONE,
        "status": "ok",
        "clock64": Clock64(warps=1, min=5, median=5.0, max=5, first=(5,), again=((6,),)),
        "runs": ("warm", "cold"),
        "counters": {"sm__cycles_active.max": (10, 20)},
        "samples": {"warm": samples(32, wait={0: 1, 3: 2})},
    }
    return Measurement(**{**fields, **changes})


def test_runs_of_another_day_stand_beside_the_first():
    later = recording(
        measured_with=DAY_TWO,
        runs=("warm", "warm", "cold"),
        counters={"sm__cycles_active.max": (11, 12, 21), "idc__requests.sum": (1, 2, 3)},
    )
    both = add_runs(recording(), later)
    assert both.runs == ("warm", "warm", "warm", "cold", "cold")
    assert both.counters == {
        "sm__cycles_active.max": (10, 11, 12, 20, 21),
        "idc__requests.sum": (None, 1, 2, None, 3),
    }
    days = [both.environment(run)["utc"][8:10] for run in range(5)]
    assert days == ["20", "21", "21", "20", "21"]
    assert both.clock64.again == ((6,), (5,), (6,))
    assert both.samples["warm"] == Samples(interval_cycles=32, runs=2, stalls={"wait": {0: 2, 3: 4}})


def test_a_third_recording_keeps_the_days_apart():
    third = {"utc": "2026-11-22T10:00:00+00:00"}
    both = add_runs(recording(), recording(measured_with=DAY_TWO))
    three = add_runs(both, recording(measured_with=third))
    assert three.environments == (DAY_ONE, DAY_TWO, third)
    assert three.recordings == (0, 1, 2, 0, 1, 2)


def test_the_same_recording_is_not_added_twice():
    both = add_runs(recording(), recording(measured_with=DAY_TWO))
    assert add_runs(both, recording(measured_with=DAY_TWO)) == both


@pytest.mark.parametrize("change", [{"code_sha256": "other"}, {"arguments_sha256": "other"}, {"grid": (2, 1, 1)}])
def test_other_code_or_another_launch_replaces(change):
    new = recording(measured_with=DAY_TWO, **change)
    assert add_runs(recording(), new) == new


def test_a_run_that_went_wrong_is_not_added():
    with pytest.raises(MeasurementError, match="dot 1x32: was ok before and is wrong now"):
        add_runs(recording(), recording(measured_with=DAY_TWO, status="wrong"))


def test_samples_at_another_interval_than_most_are_left_out():
    merged = merge_samples([samples(64, wait={0: 9}), samples(32, wait={0: 1}), samples(32, drain={1: 1})])
    assert merged == Samples(interval_cycles=32, runs=2, stalls={"drain": {1: 1}, "wait": {0: 1}})
    assert merge_samples([samples(64, wait={0: 9}), samples(32, wait={0: 1})]).interval_cycles == 32


def test_both_recordings_are_kept_in_the_file_and_damage_is_refused(tmp_path):
    both = add_runs(recording(), recording(measured_with=DAY_TWO))
    file = MeasurementFile(format=1, gpu="NVIDIA H100", kernel="dot", case_class="dot", launches=(both,))
    path = save(tmp_path, file)
    assert load(path) == file
    assert '"wait": {"0": 2, "3": 4}' in path.read_text()
    damaged = msgspec.structs.replace(file, launches=(msgspec.structs.replace(both, recordings=(0, 1, 2, 0)),))
    path.write_bytes(msgspec.json.encode(damaged))
    with pytest.raises(MeasurementError, match=r"4 runs, but \[0, 1, 2, 0\] as recordings, of 2"):
        load(path)
