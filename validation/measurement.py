"""Recorded measurements: one JSON file per GPU and kernel, ``<folder>/<gpu>/<kernel>.json``.

A file, shortened (counters have one figure per run, in the order of ``runs``; null where ncu had none):
    {"class": "dot", "format": 1, "gpu": "NVIDIA H100 80GB HBM3", "kernel": "dot_ilp4",
     "launches": [
      {"launch": "132x256", "function": "dot_ilp4", "grid": [132, 1, 1], "block": [256, 1, 1],
       "dynamic_shared_bytes": 0, "seed": 0, "arguments_sha256": "...", "cubin_sha256": "...", "code_sha256": "...",
       "measured_with": {"utc": "2026-11-20T23:40:00+00:00", "driver": "580.159.04", "num_sms": 132, ...},
       "status": "ok", "message": "",
       "event_us": {"launches": 101, "median": 6.1, "min": 5.9},
       "clock64": {"warps": 8, "min": 812, "median": 815, "max": 820, "first": [812, 813, ...]},
       "runs": ["warm", "warm", "cold", "cold"],
       "counters": {"smsp__inst_executed.sum": [51200, 51200, 51200, 51200], ...}}]}
``samples``, where they were taken: by cache mode and stall reason, the warp samples of each instruction (by its index):
       "samples": {"warm": {"interval_cycles": 32, "runs": 2, "stalls": {"wait": {"12": 40, "13": 8}, ...}}, ...}
``repeated_with`` and ``recordings``, where runs were added later: what those were measured with, and for each run whose
it is (0: measured_with, 1: the first of repeated_with, ...). ``event_us`` and ``clock64`` without ``again`` are of
measured_with.
``status``: "ok", "wrong" (outputs differ from what is expected; ``message`` says where) or "failed" (no figures).
"""

import re
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import msgspec

from isa.errors import SmsimError
from isa.files import make_folder, write_whole
from validation.files import stable_json

FORMAT = 1
RECORDED = Path(__file__).with_name("measurements")
Cache = Literal["warm", "cold"]
CACHES: tuple[Cache, ...] = ("warm", "cold")
Extent = tuple[int, int, int]


class MeasurementError(SmsimError):
    """A measurement is missing, damaged, or of other code than the one simulated."""


class EventTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Microseconds of one launch between two CUDA events, caches warm, over ``launches`` launches."""

    median: float
    min: float
    launches: int


class Clock64(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """clock64 cycles that the warps wrote in one launch; ``first`` holds those of the first block's warps.

    ``again`` holds the first block's cycles of further launches.
    """

    warps: int
    min: int
    median: float
    max: int
    first: tuple[int, ...]
    again: tuple[tuple[int, ...], ...] = ()


class Samples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Warp samples of ncu's source view.

    Attributes:
        interval_cycles: cycles between samples of one SM.
        runs: how many launches were sampled.
        stalls: by reason (``selected`` included), then by instruction index, samples summed over the runs.
    """

    interval_cycles: int
    runs: int
    stalls: dict[str, dict[int, int]]


class Measurement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was measured of one launch; the fields are those of a launch in the file (see the module's docstring)."""

    launch: str
    function: str
    grid: Extent
    block: Extent
    dynamic_shared_bytes: int
    seed: int | None
    arguments_sha256: str
    cubin_sha256: str
    code_sha256: str
    measured_with: dict[str, Any]
    status: Literal["ok", "wrong", "failed"]
    message: str = ""
    event_us: EventTime | None = None
    clock64: Clock64 | None = None
    runs: tuple[Cache, ...] = ()
    counters: dict[str, tuple[int | float | None, ...]] = {}
    samples: dict[Cache, Samples] = {}
    repeated_with: tuple[dict[str, Any], ...] = ()
    recordings: tuple[int, ...] = ()

    @property
    def environments(self) -> tuple[dict[str, Any], ...]:
        """What each recording was measured with, the first one first."""
        return (self.measured_with, *self.repeated_with)

    def environment(self, run: int) -> dict[str, Any]:
        """What a run (an index into ``runs``) was measured with; "utc" is when."""
        return self.environments[self.recordings[run] if self.recordings else 0]

    @property
    def num_blocks(self) -> int:
        """Blocks in the grid."""
        x, y, z = self.grid
        return x * y * z

    @property
    def caches(self) -> tuple[Cache, ...]:
        """The cache modes that have counters."""
        return tuple(dict.fromkeys(self.runs))

    def figures(self, counter: str, cache: Cache) -> list[int | float]:
        """The counter's figures, one per run in that cache mode; empty when it was not measured."""
        values = self.counters.get(counter, ())
        return [value for run, value in zip(self.runs, values, strict=False) if run == cache and value is not None]

    def mean(self, counter: str, cache: Cache) -> float:
        """Mean over the runs; MeasurementError when the counter was not measured."""
        figures = self.figures(counter, cache)
        if not figures:
            raise MeasurementError(f"{self.function} {self.launch}: no {cache} figure of {counter} was recorded")
        return fmean(figures)

    def spread(self, counter: str, cache: Cache) -> float:
        """Largest minus smallest figure, relative to the mean; 0 for a mean of 0."""
        figures, mean = self.figures(counter, cache), self.mean(counter, cache)
        return (max(figures) - min(figures)) / mean if mean else 0.0


class MeasurementFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All measured launches of one kernel on one GPU."""

    format: int
    gpu: str
    kernel: str
    case_class: str = msgspec.field(name="class")
    launches: tuple[Measurement, ...] = ()

    def launch(self, name: str) -> Measurement:
        """The launch of that name; MeasurementError lists those that there are."""
        for measurement in self.launches:
            if measurement.launch == name:
                return measurement
        known = ", ".join(measurement.launch for measurement in self.launches)
        raise MeasurementError(f"{self.kernel}: no launch '{name}' was recorded on {self.gpu}; recorded are: {known}")


def gpu_folder(gpu: str) -> str:
    """Folder name of a GPU: "NVIDIA H100 80GB HBM3" is "h100-80gb-hbm3"."""
    return re.sub(r"[^a-z0-9]+", "-", gpu.lower().removeprefix("nvidia")).strip("-")


def file_path(folder: Path, gpu: str, kernel: str) -> Path:
    """Where a kernel's measurements on that GPU lie under ``folder``."""
    return folder / gpu_folder(gpu) / f"{kernel}.json"


def load(path: Path) -> MeasurementFile:
    """Read a measurement file; MeasurementError when it is missing, damaged or of another format."""
    try:
        file = msgspec.json.decode(path.read_bytes(), type=MeasurementFile)
    except OSError as error:
        raise MeasurementError(f"cannot read the measurement {path}: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise MeasurementError(f"{path}: damaged measurement file: {error}; restore it or measure again") from None
    if file.format != FORMAT:
        raise MeasurementError(f"{path}: format {file.format}; this version reads {FORMAT}: measure again")
    for measurement in file.launches:
        problem = _mismatch(measurement)
        if problem:
            raise MeasurementError(
                f"{path}: damaged measurement file: {measurement.launch} has {len(measurement.runs)} runs, but "
                f"{problem}; restore it or measure again"
            )
    return file


def _mismatch(measurement: Measurement) -> str:
    """What does not go with the number of runs; empty when all does."""
    runs, recordings = len(measurement.runs), measurement.recordings
    for counter, figures in measurement.counters.items():
        if len(figures) != runs:
            return f"{len(figures)} figures of {counter}"
    if recordings and (len(recordings) != runs or not set(recordings) <= set(range(len(measurement.environments)))):
        return f"{list(recordings)} as recordings, of {len(measurement.environments)}"
    return ""


def save(folder: Path, file: MeasurementFile) -> Path:
    """Write a kernel's file under ``folder``; launches that are there already and not in ``file`` stay."""
    path = file_path(folder, file.gpu, file.kernel)
    new = {measurement.launch for measurement in file.launches}
    kept = [] if not path.exists() else [old for old in load(path).launches if old.launch not in new]
    merged = msgspec.structs.replace(
        file, launches=tuple(sorted([*kept, *file.launches], key=lambda measurement: measurement.launch))
    )
    make_folder(path.parent)
    write_whole(path, stable_json(msgspec.to_builtins(merged)).encode())
    return path


def recorded_kernels(folder: Path, gpu: str) -> list[str]:
    """Names of the kernels measured on the GPU with that folder name, sorted."""
    return sorted(path.stem for path in (folder / gpu).glob("*.json"))
