"""Nsight Compute's command line: what it is asked, and what it answers.

ncu writes a report; ``--import`` of it as ``--csv --page raw`` prints, for two launches:

    "ID","Process ID","Process Name","Host Name","Kernel Name",...,"Block Size","Grid Size",...,"gpu__time_duration.sum"
    "","","","","",...,"","",...,"ns"
    "0","4242","python3.12","127.0.0.1","dot_ilp4",...,"(256, 1, 1)","(132, 1, 1)",...,"4,736"
    "1",...

Source: ncu 2025.3.1 on an H100; the same in Nsight Compute's CLI documentation.
"""

import csv
import math
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from validation.measure_on_gpu.job import MeasureError

METRICS_FILE = Path(__file__).with_name("metrics.txt")
CACHE_CONTROL = {"warm": "none", "cold": "all"}
REPORT_SUFFIX = ".ncu-rep"  # ncu adds it to the name it is given
IMPORT_SECONDS = 300
METRIC_NAME = re.compile(r"[a-z][a-z0-9_]*__[a-z0-9_]+")

# What ncu prints when it cannot work at all, and what to tell the user.
FATAL = {
    "ERR_NVGPUCTRPERM": (
        "this user may not read the GPU's performance counters (ERR_NVGPUCTRPERM); run as root, or load the nvidia "
        "module with NVreg_RestrictProfilingToAdminUsers=0"
    ),
    "LibraryNotLoaded": "ncu cannot load its profiling library with this driver (LibraryNotLoaded)",
    "Failed to initialize the profiler": "ncu cannot initialise its profiler on this machine",
    "ERR_NVGPUPROFILINGPERM": "this user may not profile on this GPU",
    "driver resource was unavailable": "another profiler holds the GPU's counters; end it and measure again",
}


@dataclass(frozen=True)
class Row:
    """One profiled launch.

    Attributes:
        kernel: its mangled name.
        grid, block: as ncu prints them, "(132, 1, 1)".
        counters: by metric name; None where ncu has no figure.
    """

    kernel: str
    grid: str
    block: str
    counters: dict[str, int | float | None]


def wanted_metrics() -> list[str]:
    """The counters named in metrics.txt."""
    lines = METRICS_FILE.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def known_metrics(query_output: str) -> set[str]:
    """Base names (without ".sum") in the answer to ``ncu --query-metrics``: the first word of each table line."""
    words = (line.split(None, 1)[0].strip('",') for line in query_output.splitlines() if line.strip())
    return {word for word in words if METRIC_NAME.fullmatch(word)}


def available_metrics(ncu: str, answer: Path) -> tuple[list[str], list[str]]:
    """The wanted counters that this GPU has, and those that it has not; ncu's own list is left in ``answer``."""
    done = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False, timeout=120)
    answer.write_text(done.stdout, encoding="utf-8")
    known = known_metrics(done.stdout)
    if not known:
        raise MeasureError(f"ncu --query-metrics lists nothing: {explain(done.stdout + done.stderr)}")
    wanted = wanted_metrics()
    return [name for name in wanted if _is_known(name, known)], [name for name in wanted if not _is_known(name, known)]


def _is_known(name: str, known: set[str]) -> bool:
    """``launch__`` values come with every launch; the list is of hardware counters alone."""
    return name.startswith("launch__") or name.split(".", maxsplit=1)[0] in known


def profile_command(ncu: str, cache: str, metrics: Sequence[str], report: Path, log: Path) -> list[str]:
    """The command that profiles what an application launches between cudaProfilerStart and cudaProfilerStop.

    The application's own command is to follow. ``report`` gets the figures, ``log`` what ncu says.
    """
    options = ["--profile-from-start", "off", "--replay-mode", "kernel"]
    control = ["--clock-control", "none", "--cache-control", CACHE_CONTROL[cache]]
    output = ["--export", str(report.with_suffix("")), "--log-file", str(log), "--force-overwrite"]
    return [ncu, *options, *control, *output, "--metrics", ",".join(metrics)]


def import_report(ncu: str, report: Path) -> str:
    """The figures in a report as text, for ``parse``; MeasureError when ncu cannot read it."""
    command = [ncu, "--import", str(report), "--csv", "--page", "raw"]
    command += ["--print-units", "base", "--print-kernel-base", "mangled"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=IMPORT_SECONDS)
    if done.returncode != 0:
        raise MeasureError(f"ncu cannot read its report {report}: {explain(done.stdout + done.stderr)}")
    return done.stdout


def is_fatal(output: str) -> bool:
    """Whether what ncu printed says that it cannot work at all."""
    return any(sign in output for sign in FATAL)


def explain(output: str) -> str:
    """Why ncu failed, from what it printed."""
    for sign, meaning in FATAL.items():
        if sign in output:
            return meaning
    errors = [line for line in output.splitlines() if "==ERROR==" in line]
    return "; ".join(errors) or output.strip()[-500:] or "it printed nothing"


def parse(text: str, metrics: Sequence[str]) -> list[Row]:
    """The launches in ncu's answer, in launch order, with those metrics; empty when it has no table.

    ncu adds columns that nobody asked for: device attributes, ``launch__`` values, its own passes.
    """
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    table = [line for line in lines[start:] if line.startswith('"')]
    header, _units, *rows = csv.reader(table)
    complete = [dict(zip(header, values, strict=True)) for values in rows if len(values) == len(header)]
    return [_row(columns, metrics) for columns in complete]


def _row(columns: dict[str, str], metrics: Sequence[str]) -> Row:
    counters = {name: _number(columns.get(name, "")) for name in metrics}
    return Row(columns["Kernel Name"], columns["Grid Size"], columns["Block Size"], counters)


def _number(text: str) -> int | float | None:
    plain = text.replace(",", "")
    try:
        value = float(plain)
    except ValueError:  # "n/a" or empty
        return None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else value
