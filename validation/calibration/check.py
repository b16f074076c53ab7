"""A machine's values beside what recordings say, and two sets of recordings beside each other."""

from dataclasses import dataclass
from enum import StrEnum

from isa.errors import SmsimError
from smsim.machine import Machine

from .derive import Derivation, Derived, rules
from .errors import CalibrationError
from .recordings import Recordings


class Verdict(StrEnum):
    """How a value of the machine stands to the recordings."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NO_MICROBENCHMARK = "no microbenchmark"
    NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class Finding:
    """One value of the machine, what the recordings give for it, and the verdict on it; ``reason`` where there is none.

    ``old`` is the value before: the machine's, or the first set of recordings'.
    """

    path: str
    old: float
    new: Derived | None
    verdict: Verdict
    reason: str = ""


def check(machine: Machine, recordings: Recordings) -> list[Finding]:
    """A finding for every value of the machine.

    Raises:
        CalibrationError: the recordings are of another GPU than the machine.
    """
    same_gpu(machine.measured.gpu, recordings)
    return beside(machine, recordings)


def beside(machine: Machine, recordings: Recordings) -> list[Finding]:
    """As :func:`check`, whatever GPU the recordings are of."""
    derivation = Derivation(recordings)
    findings = []
    for path, value, _ in machine.values():
        try:
            new = derivation.derive(path)
        except SmsimError as error:
            verdict = Verdict.NOT_RECORDED if path in rules() else Verdict.NO_MICROBENCHMARK
            findings.append(Finding(path, value, None, verdict, str(error)))
        else:
            verdict = Verdict.AGREES if new.value == value else Verdict.DIFFERS
            findings.append(Finding(path, value, new, verdict))
    return findings


def compare(first: Recordings, second: Recordings) -> list[Finding]:
    """A finding for every value that the first recordings give: whether the second ones confirm it within its spread.

    Raises:
        CalibrationError: the recordings are of two GPUs.
    """
    (gpu,) = first.gpus()
    same_gpu(gpu, second)
    derived, _ = Derivation(first).derive_all()
    again = Derivation(second)
    findings = []
    for path, old in derived.items():
        try:
            new = again.derive(path)
        except SmsimError as error:
            findings.append(Finding(path, old.value, None, Verdict.NOT_RECORDED, str(error)))
        else:
            findings.append(Finding(path, old.value, new, Verdict.AGREES if old.agrees(new) else Verdict.DIFFERS))
    return findings


def same_gpu(gpu: str, recordings: Recordings) -> None:
    """Refuse recordings of another GPU.

    Raises:
        CalibrationError: they are, or there are none.
    """
    gpus = recordings.gpus()
    if not gpus:
        raise CalibrationError(f"no recordings in {recordings.folder}; smsim calibrate makes them")
    if gpus != {gpu}:
        others = ", ".join(sorted(gpus - {gpu}))
        raise CalibrationError(f"{recordings.folder} holds recordings of {others}; the machine is {gpu or 'of no GPU'}")
