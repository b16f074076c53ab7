"""``python3 -m validation.measure_on_gpu JOB OUT``: measure a job folder on this machine's GPU.

Exit code 0 when everything is measured, 1 when the time was up first (run it again to go on), 2 for an error, 130
when interrupted.
"""

import argparse
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from validation.measure_on_gpu.environment import describe
from validation.measure_on_gpu.job import MeasureError, load_job
from validation.measure_on_gpu.ncu import CACHE_CONTROL, available_metrics
from validation.measure_on_gpu.profiling import Profiler
from validation.measure_on_gpu.results import Results
from validation.measure_on_gpu.samples import find_module
from validation.measure_on_gpu.session import Session


def main() -> int:
    """Measure what the output folder does not hold yet."""
    parser = argparse.ArgumentParser(prog="python3 -m validation.measure_on_gpu", description=__doc__)
    parser.add_argument("job", type=Path, help="job folder, as `smsim measure --prepare-only` wrote it")
    parser.add_argument("out", type=Path, help="output folder; what it holds already is not measured again")
    parser.add_argument(
        "--repeats", type=int, default=2, help="launches per case: timed by clock64, and profiled per cache mode"
    )
    parser.add_argument("--cache", choices=(*CACHE_CONTROL, "both"), default="both", help="profile with these caches")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds after which no launch starts")
    parser.add_argument("--no-samples", action="store_true", help="counters, but no samples per instruction")
    parser.add_argument("--no-counters", action="store_true", help="check and time only; needs no ncu")
    parser.add_argument("--clocks-only", action="store_true", help="check and read clock64 only: thousands a minute")
    parser.add_argument(
        "--ncu-python", type=Path, help="Nsight Compute's extras/python, where it is not found by itself"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the processes below end too
    try:
        return measure(options)
    except KeyboardInterrupt:
        print("interrupted; what is measured is kept, run it again to go on", file=sys.stderr)
        return 130
    except MeasureError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def measure(options: argparse.Namespace) -> int:
    """Run and profile the job; the exit code."""
    counters = not (options.no_counters or options.clocks_only)
    ncu_path = shutil.which("ncu") if counters else None
    if counters and ncu_path is None:
        raise MeasureError("ncu is not on the PATH; install Nsight Compute, or give --no-counters to time only")
    job = load_job(options.job.resolve())
    session = Session(job, Results(options.out.resolve()), options.repeats, time.time() + options.time_limit, print_now)
    environment = describe(ncu_path)
    session.begin(environment)
    session.run_all(timed=not options.clocks_only)
    caches = tuple(CACHE_CONTROL) if options.cache == "both" else (options.cache,)
    if ncu_path is not None:
        session.profile_all(make_profiler(session, ncu_path, environment["ncu"], options), caches)
    return summarise(session, caches if counters else ())


def make_profiler(session: Session, ncu_path: str, version: str, options: argparse.Namespace) -> Profiler:
    """What ncu is to collect, as far as this machine can; what it cannot is noted."""
    metrics, unknown = available_metrics(ncu_path, session.folder / "ncu-metrics.txt")
    if unknown:
        session.results.note(f"ncu does not know on this GPU: {', '.join(unknown)}")
    module = None
    if not options.no_samples:
        try:
            module = find_module(ncu_path, version, options.ncu_python)
        except MeasureError as error:
            if options.ncu_python is not None:
                raise
            session.results.note(f"no samples per instruction: {error}")
    return Profiler(ncu_path, metrics, module, session.folder)


def summarise(session: Session, caches: Sequence[str]) -> int:
    """Say what stands and what is missing; the exit code."""
    keys = {case.key for case in session.job.cases}
    runs = [record for key, record in session.latest_runs().items() if key in keys]
    by_status = {status: sum(record["status"] == status for record in runs) for status in ("ok", "wrong", "failed")}
    figures = {
        (record["key"], record["cache"], record["repeat"]): record.get("samples")
        for record in session.results.of_kind("counters")
        if record["key"] in keys and record["cache"] in caches and record["repeat"] < session.repeats
    }
    sampled = sum(samples is not None for samples in figures.values())
    expected = (len(keys) - by_status["failed"]) * len(caches) * session.repeats
    print_now(f"{len(runs)} of {len(keys)} cases ran ({by_status})")
    print_now(f"counters of {len(figures)} of {expected} launches, samples of {sampled}")
    for note in session.results.of_kind("note"):
        print_now(f"note: {note['message']}")
    return 0 if len(runs) == len(keys) and len(figures) >= expected else 1


def print_now(line: str) -> None:
    """Print without holding back."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
