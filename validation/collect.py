"""From what the GPU machine wrote (results.jsonl) to measurement files."""

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
    save,
)
from validation.merge import merge_samples

# The parts of an "environment" record that a measurement keeps; the GPU's name heads its file.
_MEASURED_WITH = ("utc", "driver", "cuda", "cupy", "ncu", "num_sms", "clocks_mhz")


def collect(job_folder: Path, out_folder: Path, measurements: Path) -> list[Path]:
    """Write the measurement files of every case that ran; returns their paths.

    Raises:
        MeasurementError: the output folder holds no results of this job.
        MeasureError: the job or the results cannot be read.
    """
    job = load_job(job_folder)
    records = read_lines(out_folder / FILE_NAME)
    environment: Record | None = None
    runs: dict[str, tuple[Record, Record]] = {}
    counters: dict[str, dict[tuple[Cache, int], Record]] = {}
    for record in records:
        if record["kind"] == "environment":
            environment = record
        elif record["kind"] == "run" and environment is not None:
            runs[record["key"]] = (record, environment)
        elif record["kind"] == "counters":
            counters.setdefault(record["key"], {})[record["cache"], record["repeat"]] = record
    by_kernel: dict[str, list[tuple[Case, Record, Record]]] = {}
    for case in job.cases:
        if case.key in runs:
            by_kernel.setdefault(case.kernel, []).append((case, *runs[case.key]))
    if not by_kernel:
        raise MeasurementError(f"{out_folder / FILE_NAME} holds no results of the job {job_folder}")
    return [
        save(
            measurements,
            MeasurementFile(
                format=FORMAT,
                gpu=ran[0][2]["gpu"],
                kernel=kernel,
                case_class=ran[0][0].case_class,
                launches=tuple(
                    _measurement(case, run, env, list(counters.get(case.key, {}).values())) for case, run, env in ran
                ),
            ),
        )
        for kernel, ran in by_kernel.items()
    ]


def _measurement(case: Case, run: Record, environment: Record, figures: list[Record]) -> Measurement:
    figures = sorted(figures, key=lambda record: (CACHES.index(record["cache"]), record["repeat"]))
    names = sorted({name for record in figures for name in record["counters"]})
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
        measured_with={name: environment[name] for name in _MEASURED_WITH},
        status=run["status"],
        message=run["message"],
        event_us=None if times is None else EventTime(**times),
        clock64=_clock64(run.get("clock64"), case.block),
        runs=tuple(record["cache"] for record in figures),
        samples=_samples(case, figures),
        counters={name: tuple(record["counters"].get(name) for record in figures) for name in names},
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
