"""Runs a worker and watches it: it is ended when one item takes too long."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from validation.measure_on_gpu.job import MeasureError
from validation.measure_on_gpu.results import Record, read_lines

ROOT = Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.1
KILL_SECONDS = 60.0  # the driver ends a kernel with its process, but not at once


@dataclass(frozen=True)
class Outcome:
    """How a worker ended.

    Attributes:
        done: outcomes by item, in the order in which they were finished.
        failed: the item during which the worker ended, if it ended during one.
        message: why, when it failed.
    """

    done: dict[str, Record]
    failed: str | None
    message: str


def worker_command(mode: str, job: Path, progress: Path, deadline: float, items: list[str]) -> list[str]:
    """The command line of a worker, to be run from ``ROOT``."""
    module = "validation.measure_on_gpu.worker"
    return [sys.executable, "-m", module, mode, str(job), str(progress), str(deadline), *items]


def watch(command: list[str], progress: Path, output: Path, item_seconds: float) -> Outcome:
    """Run ``command`` to its end, or until ``progress`` has not grown for ``item_seconds``.

    What it prints goes to the file ``output``.
    """
    progress.unlink(missing_ok=True)
    with output.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen(command, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT, process_group=0)
        try:
            hung = not _wait(process, progress, item_seconds)
        finally:
            if process.poll() is None:
                _end(process)
    done, failed = read_progress(progress)
    if hung:
        message = f"no progress for {item_seconds:.0f} s: it hangs or is far too long; ended"
    elif process.returncode != 0:
        message = _last_error(output.read_text(encoding="utf-8", errors="replace"), process.returncode)
    else:
        message = ""
    return Outcome(done, failed, message)


def read_progress(progress: Path) -> tuple[dict[str, Record], str | None]:
    """The outcomes by item, in the order in which they were finished, and the item that was begun and not finished."""
    lines = read_lines(progress)
    done = {line["done"]: line["outcome"] for line in lines if "done" in line}
    unfinished = [line["started"] for line in lines if "started" in line and line["started"] not in done]
    return done, unfinished[-1] if unfinished else None


def _wait(process: subprocess.Popen[bytes], progress: Path, item_seconds: float) -> bool:
    """Wait for the end of the process; False when it makes no progress."""
    size, since = 0, time.monotonic()
    while process.poll() is None:
        time.sleep(POLL_SECONDS)
        now = progress.stat().st_size if progress.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > item_seconds:
            return False
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and those under it (the worker under ncu)."""
    os.killpg(process.pid, signal.SIGKILL)
    try:
        process.wait(KILL_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise MeasureError(
            f"process {process.pid} does not end {KILL_SECONDS:.0f} s after it was killed: the GPU hangs; reset it"
        ) from error


def _last_error(output: str, returncode: int) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else f"the process ended with code {returncode} and printed nothing"
