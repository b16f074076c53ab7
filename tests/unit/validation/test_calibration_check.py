"""The verdict on a machine's values, and what is refused with an error."""

import pytest

from smsim.machine import load
from validation.calibration import derive, registry
from validation.calibration.check import Verdict, check, compare
from validation.calibration.derive import Derivation
from validation.calibration.errors import CalibrationError
from validation.calibration.recordings import RESULTS, Recordings

from .calibration_recordings import recorded, rule


@pytest.fixture
def one_rule(monkeypatch):
    """Only pipes.xu.latency has a microbenchmark: program a of family f."""
    asked = rule("cycles", "a")
    monkeypatch.setattr(derive, "rules", lambda: {"pipes.xu.latency": asked})
    monkeypatch.setattr("validation.calibration.check.rules", lambda: {"pipes.xu.latency": asked})


def verdicts(machine, recordings):
    return {finding.path: finding for finding in check(machine, recordings)}


@pytest.mark.usefixtures("one_rule")
def test_a_value_agrees_or_differs_with_its_recording(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [17, 17, 18]}})
    finding = verdicts(load("h100"), recordings)["pipes.xu.latency"]
    assert finding.verdict is Verdict.AGREES
    assert (finding.new.value, finding.new.spread, finding.new.samples, finding.new.date) == (17, 1, 3, "2026-01-02")
    changed = load("h100").replace({"pipes.xu.latency": 18})
    assert verdicts(changed, recordings)["pipes.xu.latency"].verdict is Verdict.DIFFERS


@pytest.mark.usefixtures("one_rule")
def test_a_value_without_a_microbenchmark_and_one_without_its_recording_are_told_apart(tmp_path):
    found = verdicts(load("h100"), recorded(tmp_path, "f", {"b": {"1": [17]}}))
    assert found["pipes.xu.latency"].verdict is Verdict.NOT_RECORDED
    assert "f.json: no program 'a' was recorded" in found["pipes.xu.latency"].reason
    assert found["pipes.lsu.latency"].verdict is Verdict.NO_MICROBENCHMARK
    assert "pipes.lsu.latency names no microbenchmark" in found["pipes.lsu.latency"].reason


@pytest.mark.usefixtures("one_rule")
def test_a_second_run_confirms_what_lies_within_the_spread_of_the_first(tmp_path):
    folders = [tmp_path / name for name in ("first", "near", "far", "none")]
    for folder in folders:
        folder.mkdir()
    first = recorded(folders[0], "f", {"a": {"1": [16, 17, 19]}})
    near = recorded(folders[1], "f", {"a": {"1": [19]}})
    far = recorded(folders[2], "f", {"a": {"1": [20]}})
    none = recorded(folders[3], "f", {"b": {"1": [20]}})
    assert [finding.verdict for finding in compare(first, near)] == [Verdict.AGREES]
    assert [finding.verdict for finding in compare(first, far)] == [Verdict.DIFFERS]
    assert [finding.verdict for finding in compare(first, none)] == [Verdict.NOT_RECORDED]


def test_the_kept_recordings_confirm_themselves():
    findings = compare(Recordings(), Recordings(RESULTS))
    assert findings
    assert {finding.verdict for finding in findings} == {Verdict.AGREES}


def test_recordings_of_another_gpu_are_refused(tmp_path):
    other = recorded(tmp_path, "f", {"a": {"1": [17]}}, gpu="NVIDIA A100")
    with pytest.raises(CalibrationError, match="holds recordings of NVIDIA A100; the machine is NVIDIA H100 80GB HBM3"):
        check(load("h100"), other)
    with pytest.raises(CalibrationError, match="holds recordings of NVIDIA A100"):
        compare(Recordings(), other)


def test_a_folder_without_recordings_is_refused(tmp_path):
    with pytest.raises(CalibrationError, match=r"no recordings in .*; smsim calibrate makes them"):
        check(load("h100"), Recordings(tmp_path))


def test_recordings_of_two_drivers_are_refused(tmp_path):
    recorded(tmp_path, "f", {"a": {"1": [1]}}, driver="1")
    with pytest.raises(CalibrationError, match="of several drivers: 1, 2; record all on one machine"):
        recorded(tmp_path, "g", {"a": {"1": [1]}}, driver="2").environment()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"gpu": "x"}'])
def test_a_damaged_recording_is_refused(tmp_path, text):
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(CalibrationError, match=r"f.json: damaged recording: .*record it again"):
        Recordings(tmp_path).recording("f")


def test_a_launch_that_was_not_recorded_is_named(tmp_path):
    recordings = recorded(tmp_path, "f", {"a": {"1": [1], "4x1": [2]}})
    with pytest.raises(CalibrationError, match=r"'a' has no launch '2'; recorded: 1, 4x1"):
        recordings.launches("f", "a", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("path,derivation\n", "the columns must be path,derivation,family"),
        ("{head}\np,cycles,f,a,1,,few\n", "damaged row 'p,cycles,f,a,1,,few'"),
        ("{head}\np,cycles,f,a\n", "damaged row 'p,cycles,f,a"),
        ("{head}\np,cycles,f,a,1,per,0\n", "damaged row"),
    ],
)
def test_a_damaged_table_of_values_is_refused(text, message):
    with pytest.raises(CalibrationError, match=message):
        list(registry.read(text.format(head=",".join(registry.COLUMNS))))


def test_an_unknown_derivation_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(derive, "rules", lambda: {"some.path": rule("magic", "a")})
    with pytest.raises(CalibrationError, match=r"some.path: no derivation 'magic'"):
        Derivation(recorded(tmp_path, "f", {"a": {"1": [1]}})).derive("some.path")
