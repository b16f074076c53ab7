"""Profiles launches: one ncu over one worker, then counters and samples out of ncu's report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from validation.measure_on_gpu import ncu, samples
from validation.measure_on_gpu.job import MeasureError
from validation.measure_on_gpu.samples import LaunchSamples
from validation.measure_on_gpu.watched import Outcome, watch

# Collected in a run of their own, for which ncu needs one pass: between passes it copies what the launch stored to and
# fro, so that the first of several finds little in L2 and writes some 2.5 MB back that the launch has not stored.
ALONE = ("gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum")


@dataclass(frozen=True)
class Profiled:
    """What ncu gave for one launch; ``samples`` is None when none were asked for."""

    row: ncu.Row
    samples: LaunchSamples | None


@dataclass(frozen=True)
class Profiler:
    """How launches are profiled.

    Attributes:
        ncu: the program's path.
        metrics: the counters to collect.
        module: ``ncu_report``, or None to take no samples.
        folder: gets ncu's files; the log stays there, the report goes once it is read.

    Counters and samples come from the same run, so that ncu saves and restores the GPU's memory once; only those that
    this would disturb (``ALONE``) from another.
    """

    ncu: str
    metrics: Sequence[str]
    module: ModuleType | None
    folder: Path

    def profile(
        self, cache: str, worker: list[str], progress: Path, item_seconds: float
    ) -> tuple[Outcome, list[Profiled]]:
        """How the worker ended, and what ncu gave for its launches, in order.

        Raises:
            MeasureError: ncu cannot work here, or its report cannot be read.
        """
        most = replace(self, metrics=[name for name in self.metrics if name not in ALONE])
        rest = replace(self, metrics=[name for name in self.metrics if name in ALONE], module=None)
        outcome, profiled = most._profile(cache, worker, progress, item_seconds)
        if not rest.metrics or not profiled:
            return outcome, profiled
        ended, alone = rest._profile(cache, worker, progress, item_seconds)
        done = {item: outcome.done[item] for item in outcome.done if item in ended.done}
        joined = [_join(one, other) for one, other in zip(profiled, alone, strict=False)]
        first = outcome if outcome.failed is not None else ended
        return Outcome(done, first.failed, first.message), joined[: len(done) + 1]

    def _profile(
        self, cache: str, worker: list[str], progress: Path, item_seconds: float
    ) -> tuple[Outcome, list[Profiled]]:
        report, log = self.folder / f"profile{ncu.REPORT_SUFFIX}", self.folder / "ncu.log"
        report.unlink(missing_ok=True)
        log.unlink(missing_ok=True)
        sampled, options = ((), ()) if self.module is None else (samples.METRICS, samples.OPTIONS)
        command = ncu.profile_command(self.ncu, cache, (*self.metrics, *sampled), report, log)
        printed = self.folder / "output.txt"
        outcome = watch([*command, *options, *worker], progress, printed, item_seconds)
        if report.exists():
            profiled = self._read(report)
            report.unlink()
            return outcome, profiled
        said = "".join(path.read_text(encoding="utf-8", errors="replace") for path in (log, printed) if path.exists())
        launched = bool(outcome.done) or (outcome.failed is None and bool(outcome.message))
        if launched or ncu.is_fatal(said):
            raise MeasureError(f"ncu gave no counters: {ncu.explain(said)}")
        return outcome, []

    def _read(self, report: Path) -> list[Profiled]:
        rows = ncu.parse(ncu.import_report(self.ncu, report), self.metrics)
        if self.module is None:
            return [Profiled(row, None) for row in rows]
        taken = samples.read_report(self.module, report)
        if len(taken) != len(rows):
            raise MeasureError(f"{report}: ncu tells of {len(rows)} launches, {samples.MODULE} of {len(taken)}")
        return [Profiled(row, one) for row, one in zip(rows, taken, strict=True)]


def _join(one: Profiled, other: Profiled) -> Profiled:
    """The same launch twice, with the counters of both."""
    return replace(one, row=replace(one.row, counters=one.row.counters | other.row.counters))
