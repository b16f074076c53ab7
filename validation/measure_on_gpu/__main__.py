"""``python3 -m validation.measure_on_gpu JOB OUT``: measure a job folder on this machine's GPU.

Exit code 0 when everything is measured, 1 when the time was up first (run it again to go on), 2 for an error, 130
when interrupted.
"""

import argparse
import shutil
import signal
import sys
import time
from pathlib import Path

from validation.measure_on_gpu.environment import describe
from validation.measure_on_gpu.job import MeasureError, load_job
from validation.measure_on_gpu.ncu import CACHE_CONTROL
from validation.measure_on_gpu.results import Results
from validation.measure_on_gpu.session import Session


def main() -> int:
    """Measure what the output folder does not hold yet."""
    parser = argparse.ArgumentParser(prog="python3 -m validation.measure_on_gpu", description=__doc__)
    parser.add_argument("job", type=Path, help="job folder, as `smsim measure --prepare-only` wrote it")
    parser.add_argument("out", type=Path, help="output folder; what it holds already is not measured again")
    parser.add_argument("--repeats", type=int, default=2, help="profiled launches per case and cache mode")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="seconds after which no launch starts")
    parser.add_argument("--no-counters", action="store_true", help="check and time only; needs no ncu")
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
    ncu_path = None if options.no_counters else shutil.which("ncu")
    if ncu_path is None and not options.no_counters:
        raise MeasureError("ncu is not on the PATH; install Nsight Compute, or give --no-counters to time only")
    job = load_job(options.job.resolve())
    session = Session(job, Results(options.out.resolve()), options.repeats, time.time() + options.time_limit, print_now)
    session.begin(describe(ncu_path))
    session.run_all()
    if ncu_path is not None:
        session.profile_all(ncu_path)
    return summarise(session, counters=ncu_path is not None)


def summarise(session: Session, counters: bool) -> int:
    """Say what stands and what is missing; the exit code."""
    keys = {case.key for case in session.job.cases}
    runs = [record for record in session.results.of_kind("run") if record["key"] in keys]
    by_status = {status: sum(record["status"] == status for record in runs) for status in ("ok", "wrong", "failed")}
    figures = [record for record in session.results.of_kind("counters") if record["key"] in keys]
    expected = (len(keys) - by_status["failed"]) * len(CACHE_CONTROL) * session.repeats if counters else 0
    print_now(f"{len(runs)} of {len(keys)} cases ran ({by_status}); counters of {len(figures)} of {expected} launches")
    for note in session.results.of_kind("note"):
        print_now(f"note: {note['message']}")
    return 0 if len(runs) == len(keys) and len(figures) >= expected else 1


def print_now(line: str) -> None:
    """Print without holding back."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
