"""From what the GPU machine wrote (results.jsonl) to measurement files."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from msgspec import convert

from smsim.reasons import REASON_NAMES
from validation.measure_on_gpu.job import Case, load_job
from validation.measure_on_gpu.results import FILE_NAME, Record, read_lines
from validation.measurement import (
    CACHES,
    FORMAT,
    Cache,
    Clock64,
    EventTime,
    Extent,
    Measurement,
    MeasurementError,
    MeasurementFile,
    Samples,
    file_path,
    load,
    save,
)
from validation.merge import add_runs, merge_samples

# The parts of an "environment" record that a measurement keeps; the GPU's name heads its file.
_MEASURED_WITH = ("utc", "driver", "cuda", "cupy", "ncu", "num_sms", "clocks_mhz")


def collect(job_folder: Path, out_folder: Path, measurements: Path, *, append: bool = False) -> list[Path]:
    """Write the measurement files of every case that ran; returns their paths.

    What is recorded of a case is replaced, or with ``append`` gets further runs if the code is the same.

    Raises:
        MeasurementError: the output folder holds no results of this job, or others than its cubins'; as
            ``validation.merge.add_runs``.
        MeasureError: the job or the results cannot be read.
    """
    job = load_job(job_folder)
    recorded = _read(out_folder / FILE_NAME)
    by_kernel: dict[str, list[tuple[Case, Recorded]]] = {}
    for case in job.cases:
        if case.key in recorded:
            by_kernel.setdefault(case.kernel, []).append((case, recorded[case.key]))
    if not by_kernel:
        raise MeasurementError(f"{out_folder / FILE_NAME} holds no results of the job {job_folder}")
    paths = []
    for kernel, ran in by_kernel.items():
        gpu = ran[0][1].environment["gpu"]
        new = [_measurement(case, results) for case, results in ran]
        if append:
            old = {launch.launch: launch for launch in _already(measurements, gpu, kernel)}
            new = [add_runs(old[one.launch], one) if one.launch in old else one for one in new]
        file = MeasurementFile(
            format=FORMAT, gpu=gpu, kernel=kernel, case_class=ran[0][0].case_class, launches=tuple(new)
        )
        paths.append(save(measurements, file))
    return paths


def _already(measurements: Path, gpu: str, kernel: str) -> tuple[Measurement, ...]:
    path = file_path(measurements, gpu, kernel)
    return load(path).launches if path.exists() else ()


@dataclass(frozen=True)
class Recorded:
    """What the results hold of one case: its last run, and ncu's figures by cache mode and repeat.

    Each comes with the "environment" record that stands before it.
    """

    run: Record
    environment: Record
    figures: dict[tuple[Cache, int], tuple[Record, Record]]


def _read(path: Path) -> dict[str, Recorded]:
    """The cases in the results, by key."""
    environment: Record = {}
    runs: dict[str, tuple[Record, Record]] = {}
    figures: dict[str, dict[tuple[Cache, int], tuple[Record, Record]]] = {}
    for record in read_lines(path):
        if record["kind"] == "environment":
            environment = record
        elif record["kind"] == "run":
            runs[record["key"]] = (record, environment)
        elif record["kind"] == "counters":
            figures.setdefault(record["key"], {})[record["cache"], record["repeat"]] = (record, environment)
    return {key: Recorded(*run, figures.get(key, {})) for key, run in runs.items()}


def _measurement(case: Case, recorded: Recorded) -> Measurement:
    run = recorded.run
    figures = [
        recorded.figures[key] for key in sorted(recorded.figures, key=lambda key: (CACHES.index(key[0]), key[1]))
    ]
    environments = [recorded.environment]
    for _, environment in figures:
        if environment not in environments:
            environments.append(environment)
    measured_with = [{name: one[name] for name in _MEASURED_WITH} for one in environments]
    counters = [record for record, _ in figures]
    times = run.get("event_us")
    return Measurement(
        launch=case.launch,
        function=case.function,
        grid=case.grid,
        block=case.block,
        dynamic_shared_bytes=case.dynamic_shared_bytes,
        seed=case.seed,
        arguments_sha256=case.arguments_sha256,
        cubin_sha256=run["cubin_sha256"],
        code_sha256=case.code_sha256,
        measured_with=measured_with[0],
        repeated_with=tuple(measured_with[1:]),
        recordings=tuple(environments.index(one) for _, one in figures) if len(environments) > 1 else (),
        status=run["status"],
        message=run["message"],
        event_us=None if times is None else EventTime(**times),
        clock64=_clock64(run.get("clock64"), case.block),
        runs=tuple(record["cache"] for record in counters),
        samples=_samples(case, counters),
        counters={
            name: tuple(record["counters"].get(name) for record in counters)
            for name in sorted({name for record in counters for name in record["counters"]})
        },
    )


def _clock64(clocks: list[list[int]] | None, block: Extent) -> Clock64 | None:
    """The first launch's cycles, and of the others those of the first block."""
    if not clocks or not clocks[0]:
        return None
    warps_per_block = -(-block[0] * block[1] * block[2] // 32)
    cycles = clocks[0]
    return Clock64(
        warps=len(cycles),
        min=min(cycles),
        median=float(median(cycles)),
        max=max(cycles),
        first=tuple(cycles[:warps_per_block]),
        again=tuple(tuple(others[:warps_per_block]) for others in clocks[1:]),
    )


def _samples(case: Case, figures: list[Record]) -> dict[Cache, Samples]:
    """The samples of each cache mode, summed over its launches."""
    by_cache: dict[Cache, list[Samples]] = {}
    for record in figures:
        if record.get("samples") is None:
            continue
        taken = convert({**record["samples"], "runs": 1}, Samples, strict=False)  # JSON's keys are text
        unknown = sorted(set(taken.stalls) - set(REASON_NAMES))
        if unknown:
            raise MeasurementError(f"{case.case}: ncu sampled stall reasons that smsim does not know: {unknown}")
        by_cache.setdefault(record["cache"], []).append(taken)
    return {cache: merge_samples(taken) for cache, taken in by_cache.items()}
