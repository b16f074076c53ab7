"""Warp samples per instruction, as ncu's source view shows them, read from a report with NVIDIA's ``ncu_report``.

Once per interval the hardware notes of one warp of an SM where it stands and why it does not issue. ncu gives the sum
over all SMs, by reason and by address.

Source: Nsight Compute's documentation (Warp Sampling; Python Report Interface), and ncu 2025.3.1 on an H100.
"""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from validation.measure_on_gpu.job import MeasureError

MODULE = "ncu_report"
REASON_PREFIX = "smsp__pcsamp_warps_issue_stalled_"
NOT_ISSUED_SUFFIX = "_not_issued"  # the samples of cycles in which the SMSP issued nothing: a part of the others
# Reasons that are spelled otherwise than in the counters smsp__warps_issue_stalled_<reason>.
COUNTERS_SPELLING = {"no_instructions": "no_instruction", "warpgroup_arrive": "gmma"}
INTERVAL = "smsp__pcsamp_interval_cycles"
DROPPED = "smsp__pcsamp_dropped_bytes"
FUNCTION_ADDRESSES = "launch__function_pcs"
METRICS = ("group:smsp__pcsamp_warp_stall_reasons", INTERVAL, DROPPED, FUNCTION_ADDRESSES)
# Interval 0 is 32 cycles; ncu samples again at a longer interval, at most so many times, while the buffer overflows.
OPTIONS = ("--warp-sampling-interval", "0", "--warp-sampling-max-passes", "5")
INSTRUCTION_BYTES = 16
# Where Nsight Compute is installed: of its own package, and of the CUDA toolkit.
INSTALL_FOLDERS = ("/opt/nvidia/nsight-compute/{version}", "/usr/local/cuda*/nsight-compute-{version}")


@dataclass(frozen=True)
class LaunchSamples:
    """The samples of one launch.

    Attributes:
        samples: {"interval_cycles": 32, "stalls": {"wait": {"12": 5, ...}, ...}}, by reason as the counters spell it
            and by instruction index; None when they are of no use.
        problem: why they are not, or "".
    """

    samples: dict[str, Any] | None
    problem: str


def find_module(ncu: str, version: str, folder: Path | None) -> ModuleType:
    """NVIDIA's module, from ``folder`` or from where the ncu of that version is installed.

    Raises:
        MeasureError: it is not there, or this Python cannot load it.
    """
    folders = _folders(ncu, version) if folder is None else iter([folder])
    found = next((one for one in folders if (one / f"{MODULE}.py").is_file()), None)
    if found is None:
        where = "beside ncu" if folder is None else f"in {folder}"
        raise MeasureError(f"no {MODULE}.py {where}; name Nsight Compute's extras/python with --ncu-python FOLDER")
    sys.path.insert(0, str(found))
    try:
        return importlib.import_module(MODULE)
    except Exception as error:  # a compiled module of NVIDIA's: it can fail in any way
        raise MeasureError(f"{found / MODULE}.py cannot be loaded: {error}") from error
    finally:
        sys.path.remove(str(found))


def _folders(ncu: str, version: str) -> Iterator[Path]:
    """Where the module can be: ncu is a file of the installation, or a script or a link that stands elsewhere."""
    for parent in Path(ncu).resolve().parents:
        yield parent / "extras" / "python"
    short = ".".join(version.split(".")[:3])
    for pattern in INSTALL_FOLDERS:
        for folder in sorted(Path("/").glob(pattern.format(version=short).lstrip("/"))):
            yield folder / "extras" / "python"


def read_report(module: ModuleType, report: Path) -> list[LaunchSamples]:
    """The samples of every launch in the report, in launch order; MeasureError when it cannot be read."""
    try:
        context = module.load_report(str(report))
        ranges = (context.range_by_idx(index) for index in range(context.num_ranges()))
        actions = [one.action_by_idx(index) for one in ranges for index in range(one.num_actions())]
        return [_read(action) for action in actions]
    except Exception as error:  # as above
        raise MeasureError(f"{report}: {MODULE} cannot read this report: {error!r}") from error


def _read(action: Any) -> LaunchSamples:
    dropped = action.metric_by_name(DROPPED).as_uint64()
    if dropped:
        return LaunchSamples(None, f"the hardware dropped {dropped} bytes of samples")
    start = action.metric_by_name(FUNCTION_ADDRESSES).as_uint64(0)
    stalls = {}
    for name in sorted(action.metric_names()):
        if name.startswith(REASON_PREFIX) and not name.endswith(NOT_ISSUED_SUFFIX):
            by_offset = _by_offset(action.metric_by_name(name), start)
            if any(offset < 0 or offset % INSTRUCTION_BYTES for offset in by_offset):
                return LaunchSamples(None, f"samples of {name} lie outside the kernel's function")
            if by_offset:
                reason = name.removeprefix(REASON_PREFIX)
                stalls[COUNTERS_SPELLING.get(reason, reason)] = {
                    str(offset // INSTRUCTION_BYTES): count for offset, count in by_offset.items()
                }
    interval = action.metric_by_name(INTERVAL).as_uint64()
    return LaunchSamples({"interval_cycles": interval, "stalls": stalls}, "")


def _by_offset(metric: Any, start: int) -> dict[int, int]:
    """Samples by the instruction's distance in bytes from the function's first."""
    count = metric.num_instances()
    if not count:
        return {}
    addresses = metric.correlation_ids()
    by_offset = {addresses.as_uint64(index) - start: metric.as_uint64(index) for index in range(count)}
    return {offset: samples for offset, samples in by_offset.items() if samples}
