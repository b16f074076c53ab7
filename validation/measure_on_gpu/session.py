"""One go over a job: what is not measured yet is measured, in few processes, and every figure is kept as it comes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from validation.measure_on_gpu import ncu
from validation.measure_on_gpu.job import Case, Job, MeasureError
from validation.measure_on_gpu.results import Record, Results
from validation.measure_on_gpu.watched import Outcome, watch, worker_command

CASE_SECONDS = 60.0  # a case that shows no progress for so long is taken to hang
CHUNK = 100  # cases per process: what an interruption can cost, against the process's start-up


@dataclass
class Session:
    """A job being measured.

    Attributes:
        job, results: what to measure and where it is kept.
        repeats: profiled launches per case and cache mode.
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

    def run_all(self) -> None:
        """Check and time every case that has no "run" record."""
        while not self.out_of_time():
            have = {record["key"] for record in self.results.of_kind("run")}
            missing = [case for case in self.job.cases if case.key not in have]
            if not missing:
                return
            self._run(missing[:CHUNK])

    def _run(self, cases: list[Case]) -> None:
        by_key = {case.key: case for case in cases}
        progress = self.folder / "progress.jsonl"
        command = worker_command("run", self.job.folder, progress, self.deadline, list(by_key))
        outcome = watch(command, progress, self.folder / "output.txt", CASE_SECONDS)
        for key, record in outcome.done.items():
            self._add_run(by_key[key], record)
        if outcome.failed is not None:
            self._add_run(by_key[outcome.failed], {"status": "failed", "message": outcome.message})
        elif outcome.message:
            raise MeasureError(f"the measuring process failed before a launch: {outcome.message}")

    def _add_run(self, case: Case, record: Record) -> None:
        identity = {"key": case.key, "case": case.case, "cubin_sha256": case.cubin_sha256}
        self.results.add({"kind": "run", **identity, **record})
        if record["status"] != "ok":
            self.say(f"{case.case}: {record['status']}: {record['message']}")

    def profile_all(self, ncu_path: str) -> None:
        """Collect the counters of every case that ran, warm and cold, as often as ``repeats`` says."""
        metrics, unknown = ncu.available_metrics(ncu_path, self.folder / "ncu-metrics.txt")
        for name in unknown:
            self.results.note(f"ncu does not know {name} on this GPU")
        for cache in ncu.CACHE_CONTROL:
            items = self._unprofiled(cache)
            while items and not self.out_of_time():
                self.say(f"counters, {cache}: {len(items)} launches to go")
                seen = self._profile(ncu_path, cache, metrics, items[: CHUNK * self.repeats])
                items = [item for item in items if item not in seen]

    def _unprofiled(self, cache: str) -> list[str]:
        """Worker items without a "counters" record, those of a case together."""
        have = {(record["key"], record["cache"], record["repeat"]) for record in self.results.of_kind("counters")}
        wanted = {case.key for case in self.job.cases}
        return [
            f"{record['key']}:{repeat}:{','.join(map(str, record['writes']))}"
            for record in self.results.of_kind("run")
            if record["key"] in wanted and record["status"] != "failed"
            for repeat in range(self.repeats)
            if (record["key"], cache, repeat) not in have
        ]

    def _profile(self, ncu_path: str, cache: str, metrics: list[str], items: list[str]) -> set[str]:
        """Profile the items in one process; those that need not be tried again: done, or failed under ncu."""
        progress, log, printed = (self.folder / name for name in ("progress.jsonl", "ncu.csv", "output.txt"))
        worker = worker_command("profile", self.job.folder, progress, self.deadline, items)
        outcome = watch(ncu.profile_command(ncu_path, cache, metrics, log, worker), progress, printed, CASE_SECONDS)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        rows = ncu.parse(text, metrics)
        if not rows and (outcome.done or outcome.failed is None) and not self.out_of_time():
            said = text + printed.read_text(encoding="utf-8", errors="replace")
            raise MeasureError(f"ncu gave no counters: {ncu.explain(said)}")
        if len(rows) < len(outcome.done):  # which launches the rows belong to is not certain
            self.results.note(f"ncu answered for {len(rows)} of {len(outcome.done)} launches: {ncu.explain(text)}")
        else:
            self._add_counters(cache, outcome, rows)
        if outcome.failed is not None:
            key = outcome.failed.split(":")[0]
            name = next(case.case for case in self.job.cases if case.key == key)
            self.results.note(f"{name} under ncu, {cache}: {outcome.message}")
            return {*outcome.done, outcome.failed}
        return set(outcome.done)

    def _add_counters(self, cache: str, outcome: Outcome, rows: list[ncu.Row]) -> None:
        """File the rows under the items that were launched, in order; stop where they do not belong together.

        There can be one row more than items done: of the launch during which the process failed.
        """
        cases = {case.key: case for case in self.job.cases}
        for item, row in zip(outcome.done, rows, strict=False):
            key, repeat, _ = item.split(":")
            case = cases[key]
            if not matches(row, case):
                self.results.note(f"ncu's row {row.kernel} {row.grid} {row.block} is not {case.case}: left out")
                return
            record = {"kind": "counters", "key": key, "case": case.case, "cache": cache, "repeat": int(repeat)}
            self.results.add({**record, "counters": row.counters})


def matches(row: ncu.Row, case: Case) -> bool:
    """Whether ncu's row is of this launch: kernel, grid and block."""
    return (row.kernel, row.grid, row.block) == (case.function, str(case.grid), str(case.block))
