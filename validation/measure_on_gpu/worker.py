"""The process that launches kernels: a kernel that fails or hangs takes down only this process.

``python3 -m validation.measure_on_gpu.worker run|time|profile JOB PROGRESS DEADLINE ITEM...`` with the ITEMs
"run", "time": KEY:REPEATS; "profile": KEY:REPEAT:WRITES, WRITES the comma-separated arguments that the kernel writes.
Consecutive items of one case share its arguments, which can take seconds to make. PROGRESS gets one JSON line when an
item starts and one when it is done. No item starts after DEADLINE (seconds since the epoch).
"""

import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernels import Expected
from validation.measure_on_gpu.device import LoadedCase, import_cupy, mismatch
from validation.measure_on_gpu.job import Case, Job, load_job
from validation.measure_on_gpu.references import References
from validation.measure_on_gpu.results import Record, write_lines

MAX_TIMED_LAUNCHES = 101
TIMED_SECONDS = 0.2  # per case, spent on timed launches at most


def run_case(loaded: LoadedCase, expected: Mapping[int, Expected], repeats: int, timed: bool) -> Record:
    """Launch, check the outputs, read clock64, time with events if so asked; the fields of a "run" record."""
    loaded.launch()
    loaded.synchronize()
    wrong = mismatch(loaded, expected)
    writes = loaded.written()
    return {
        "status": "wrong" if wrong else "ok",
        "message": wrong or "",
        "writes": writes,
        "clock64": read_clocks(loaded, writes, repeats),
        "event_us": time_case(loaded, writes) if timed else None,
    }


def read_clocks(loaded: LoadedCase, writes: list[int], repeats: int) -> list[list[int]] | None:
    """The cycles that every warp wrote, one list per launch; None when the kernel does not time itself."""
    clock = loaded.case.clock
    if clock is None:
        return None
    clocks = []
    for _ in range(repeats):
        loaded.reset(writes)
        loaded.launch()
        loaded.synchronize()
        clocks.append(loaded.output(clock).reshape(-1).tolist())
    return clocks


def time_case(loaded: LoadedCase, writes: list[int]) -> dict[str, float]:
    """Microseconds of single launches between two CUDA events, each on the initial input: median, min and count."""
    event = loaded.cupy.cuda.Event
    elapsed: list[float] = []
    give_up = time.monotonic() + TIMED_SECONDS
    while len(elapsed) < MAX_TIMED_LAUNCHES and (len(elapsed) < 3 or time.monotonic() < give_up):
        loaded.reset(writes)
        before, after = event(), event()
        before.record()
        loaded.launch()
        after.record()
        after.synchronize()
        elapsed.append(1000.0 * loaded.cupy.cuda.get_elapsed_time(before, after))
    return {"median": round(statistics.median(elapsed), 3), "min": round(min(elapsed), 3), "launches": len(elapsed)}


def profile_case(loaded: LoadedCase, writes: list[int]) -> Record:
    """Launch twice on the initial input; the profiler sees the second."""
    runtime = loaded.cupy.cuda.runtime
    loaded.reset(writes)
    loaded.launch()
    loaded.synchronize()
    loaded.reset(writes)
    runtime.profilerStart()
    loaded.launch()
    loaded.synchronize()
    runtime.profilerStop()
    return {}


def main(arguments: list[str]) -> None:
    """See the module's docstring."""
    mode, folder, progress, deadline, *items = arguments
    job = load_job(Path(folder))
    cases = {case.key: case for case in job.cases}
    cupy = import_cupy()
    loaded: LoadedCase | None = None
    references = References(job, [cases[item.split(":")[0]] for item in items] if mode != "profile" else [])
    try:
        for item in items:
            if time.time() > float(deadline):
                break
            write_lines(Path(progress), [{"started": item}])
            key, *rest = item.split(":")
            if loaded is None or loaded.case.key != key:
                loaded = load_case(cupy, job, cases[key], loaded)
            if mode == "profile":
                outcome = profile_case(loaded, [int(index) for index in rest[1].split(",") if index])
            else:
                expected = references.of(loaded.case, loaded.initial)
                outcome = run_case(loaded, expected, int(rest[0]), timed=mode == "time")
            write_lines(Path(progress), [{"done": item, "outcome": outcome}])
    finally:
        references.close()


def load_case(cupy: Any, job: Job, case: Case, before: LoadedCase | None) -> LoadedCase:
    """The case on the GPU, with the arguments of the case before it if they are the same."""
    if before is not None:
        before.release()
        if before.case.arguments_sha256 == case.arguments_sha256:
            return LoadedCase(cupy, job, case, before.initial)
    return LoadedCase(cupy, job, case, job.arguments(case))


if __name__ == "__main__":
    main(sys.argv[1:])
