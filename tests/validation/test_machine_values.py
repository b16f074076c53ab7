"""Every value of the shipped machine names a microbenchmark, whose recording gives just that value."""

import pytest

from smsim.machine import MACHINES, SHIPPED, load
from validation.calibration import machine_file, registry
from validation.calibration.check import Finding, Verdict, check
from validation.calibration.recordings import Recordings


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    return check(load("h100"), Recordings())


def test_every_value_follows_from_its_recording(findings: list[Finding]) -> None:
    assert {finding.path: finding.reason for finding in findings if finding.verdict is not Verdict.AGREES} == {}


def test_every_rule_is_of_a_value_of_the_machine(findings: list[Finding]) -> None:
    values = {finding.path for finding in findings}
    assert [path for path in registry.rules() if path not in values] == []


def test_the_machine_files_are_what_calibrate_writes(findings: list[Finding]) -> None:
    machine = load("h100")
    measured = {"gpu": machine.measured.gpu, "driver": machine.measured.driver}
    derived = {finding.path: finding.new for finding in findings if finding.new}
    for name, text in machine_file.texts(MACHINES / "h100.toml", "h100", derived, measured).items():
        assert (MACHINES / name).read_text() == text, name


def test_every_recording_is_of_the_machine_s_gpu_and_driver() -> None:
    measured = load("h100").measured
    assert Recordings().environment() == {"gpu": measured.gpu, "driver": measured.driver}


def test_this_is_about_all_shipped_machines() -> None:
    assert SHIPPED == ("h100",)
