"""Every value of the shipped machine names a microbenchmark, whose recording gives just that value.

``machine_values_open.csv`` lists the values for which this is not so yet; it may only shrink.
"""

import csv
from pathlib import Path

import pytest

from smsim.machine import MACHINES, SHIPPED, load
from validation.calibration import machine_file
from validation.calibration.check import Finding, Verdict, check
from validation.calibration.recordings import Recordings

OPEN = Path(__file__).with_name("machine_values_open.csv")


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    return check(load("h100"), Recordings())


def test_every_value_follows_from_its_recording_but_those_that_are_open(findings: list[Finding]) -> None:
    expected = {row["path"]: row["verdict"] for row in csv.DictReader(OPEN.read_text().splitlines())}
    found = {finding.path: str(finding.verdict) for finding in findings if finding.verdict is not Verdict.AGREES}
    assert found == expected


def test_the_machine_files_are_what_calibrate_writes(findings: list[Finding]) -> None:
    machine = load("h100")
    measured = {"gpu": machine.measured.gpu, "driver": machine.measured.driver}
    derived = {finding.path: finding.new for finding in findings if finding.new and finding.verdict is Verdict.AGREES}
    for name, text in machine_file.texts(MACHINES / "h100.toml", "h100", derived, measured).items():
        assert (MACHINES / name).read_text() == text, name


def test_every_recording_is_of_the_machine_s_gpu_and_driver() -> None:
    measured = load("h100").measured
    assert Recordings().environment() == {"gpu": measured.gpu, "driver": measured.driver}


def test_this_is_about_all_shipped_machines() -> None:
    assert SHIPPED == ("h100",)
