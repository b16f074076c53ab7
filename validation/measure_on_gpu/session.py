"""One go over a job: what is not measured yet is measured, in few processes, and every figure is kept as it comes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from validation.measure_on_gpu import ncu
from validation.measure_on_gpu.job import Case, Job, MeasureError
from validation.measure_on_gpu.profiling import Profiled, Profiler
from validation.measure_on_gpu.results import Record, Results
from validation.measure_on_gpu.watched import Outcome, read_progress, watch, worker_command

CASE_SECONDS = 60.0  # a case that shows no progress for so long is taken to hang
RUN_CASES = 1000  # per process; those that ran are kept when it is interrupted
PROFILED_LAUNCHES = 200  # per process: ncu's figures come at its end, so this is what an interruption can cost
PROGRESS = "progress.jsonl"


@dataclass
class Session:
    """A job being measured.

    Attributes:
        job, results: what to measure and where it is kept.
        repeats: launches whose clocks are read, per case, and profiled launches per case and cache mode.
        deadline: seconds since the epoch after which no launch starts.
        say: called with a line of progress.
    """

    job: Job
    results: Results
    repeats: int
    deadline: float
    say: Callable[[str], None]

    @property
    def folder(self) -> Path:
        """The output folder; besides the results it holds what the last process printed and what ncu answered last."""
        return self.results.path.parent

    def begin(self, environment: Record) -> None:
        """Note what this go measures with; refuse another GPU than the one that the results are from."""
        for earlier in self.results.of_kind("environment"):
            if earlier["gpu"] != environment["gpu"]:
                raise MeasureError(
                    f"{self.results.path} holds measurements of {earlier['gpu']}, this GPU is {environment['gpu']}; "
                    "give another output folder"
                )
        self.results.add(environment)

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return time.time() > self.deadline

    @property
    def cases(self) -> list[Case]:
        """The job's cases, those with the same arguments together: a worker then makes them once."""
        return sorted(self.job.cases, key=lambda case: case.arguments_sha256)

    def latest_runs(self) -> dict[str, Record]:
        """The last "run" record of every case, by key."""
        return {record["key"]: record for record in self.results.of_kind("run")}

    def run_all(self, timed: bool = True) -> None:
        """Check every case that has not run yet and read its clocks; time it between events, too, unless told not to.

        A case that ran without being timed runs again to be timed.
        """
        while not self.out_of_time():
            have = {
                key
                for key, record in self.latest_runs().items()
                if not timed or record["status"] == "failed" or record["event_us"] is not None
            }
            missing = [case for case in self.cases if case.key not in have]
            if not missing:
                return
            self.say(f"running: {len(missing)} cases to go")
            self._run("time" if timed else "run", missing[:RUN_CASES])

    def _run(self, mode: str, cases: list[Case]) -> None:
        by_key = {case.key: case for case in cases}
        progress = self.folder / PROGRESS
        items = [f"{key}:{self.repeats}" for key in by_key]
        command = worker_command(mode, self.job.folder, progress, self.deadline, items)
        try:
            outcome = watch(command, progress, self.folder / "output.txt", CASE_SECONDS)
        except KeyboardInterrupt:
            self._add_runs(by_key, read_progress(progress)[0])
            raise
        self._add_runs(by_key, outcome.done)
        if outcome.failed is not None:
            self._add_runs(by_key, {outcome.failed: {"status": "failed", "message": outcome.message}})
        elif outcome.message:
            raise MeasureError(f"the measuring process failed before a launch: {outcome.message}")

    def _add_runs(self, cases: dict[str, Case], outcomes: dict[str, Record]) -> None:
        records = []
        for item, outcome in outcomes.items():
            case = cases[item.split(":")[0]]
            identity = {"key": case.key, "case": case.case, "cubin_sha256": case.cubin_sha256}
            records.append({"kind": "run", **identity, **outcome})
            if outcome["status"] != "ok":
                self.say(f"{case.case}: {outcome['status']}: {outcome['message']}")
        self.results.add(*records)

    def profile_all(self, profiler: Profiler, caches: Sequence[str]) -> None:
        """Profile every case that ran, in each cache mode, as often as ``repeats`` says; sample in the first repeat.

        What it takes (ncu 2025.3.1 on an H100): 0.2 s a launch for all counters, however many passes they need, 0.2 s
        more with samples, and 4 s for every process that is begun.
        """
        for cache in caches:
            if profiler.module is not None:
                self._profile_repeats(profiler, cache, range(1))
                self._profile_repeats(replace(profiler, module=None), cache, range(1, self.repeats))
            else:
                self._profile_repeats(profiler, cache, range(self.repeats))

    def _profile_repeats(self, profiler: Profiler, cache: str, repeats: range) -> None:
        sampling = profiler.module is not None
        items = self._unprofiled(cache, repeats, sampling)
        while items and not self.out_of_time():
            what = "counters and samples" if sampling else "counters"
            self.say(f"{what}, {cache}: {len(items)} launches to go")
            seen = self._profile(profiler, cache, items[:PROFILED_LAUNCHES])
            items = [item for item in items if item not in seen]

    def _unprofiled(self, cache: str, repeats: range, sampling: bool) -> list[str]:
        """Worker items without a "counters" record (with samples, if those are wanted), those of a case together."""
        have = {
            (record["key"], record["cache"], record["repeat"])
            for record in self.results.of_kind("counters")
            if "samples" in record or not sampling
        }
        runs = self.latest_runs()
        return [
            f"{case.key}:{repeat}:{','.join(map(str, runs[case.key]['writes']))}"
            for case in self.cases
            if case.key in runs and runs[case.key]["status"] != "failed"
            for repeat in repeats
            if (case.key, cache, repeat) not in have
        ]

    def _profile(self, profiler: Profiler, cache: str, items: list[str]) -> set[str]:
        """Profile the items in one process; those that need not be tried again: done, or failed under ncu."""
        progress = self.folder / PROGRESS
        worker = worker_command("profile", self.job.folder, progress, self.deadline, items)
        outcome, profiled = profiler.profile(cache, worker, progress, CASE_SECONDS)
        answered = len(profiled) >= len(outcome.done)
        if answered:
            self._add_profiled(cache, outcome, profiled)
        else:  # which launches the figures belong to is not certain
            self.results.note(f"ncu answered for {len(profiled)} of {len(outcome.done)} launches; they are left out")
        if outcome.failed is None:
            return set(outcome.done)
        key = outcome.failed.split(":")[0]
        name = next(case.case for case in self.job.cases if case.key == key)
        self.results.note(f"{name} under ncu, {cache}: {outcome.message}")
        return {*(outcome.done if answered else ()), outcome.failed}

    def _add_profiled(self, cache: str, outcome: Outcome, profiled: list[Profiled]) -> None:
        """File ncu's figures under the items that were launched, in order; stop where they do not belong together.

        There can be one launch more than items done: the one during which the process failed.
        """
        cases = {case.key: case for case in self.job.cases}
        for item, launch in zip(outcome.done, profiled, strict=False):
            key, repeat, _ = item.split(":")
            case, row = cases[key], launch.row
            if not matches(row, case):
                self.results.note(f"ncu's row {row.kernel} {row.grid} {row.block} is not {case.case}: left out")
                return
            record = {"kind": "counters", "key": key, "case": case.case, "cache": cache, "repeat": int(repeat)}
            record["counters"] = row.counters
            if launch.samples is not None:
                record["samples"] = launch.samples.samples
                if launch.samples.problem:
                    self.results.note(f"no samples of {case.case}, {cache}: {launch.samples.problem}")
            self.results.add(record)


def matches(row: ncu.Row, case: Case) -> bool:
    """Whether ncu's row is of this launch: kernel, grid and block."""
    return (row.kernel, row.grid, row.block) == (case.function, str(case.grid), str(case.block))
