"""What the figures were measured with."""

import datetime
import re
import subprocess
from typing import Any

from validation.measure_on_gpu.device import import_cupy
from validation.measure_on_gpu.job import MeasureError
from validation.measure_on_gpu.results import Record


def describe(ncu: str | None) -> Record:
    """An "environment" record: GPU, driver, CUDA, ncu and CuPy versions, clocks, date (UTC)."""
    cupy = import_cupy()
    name, driver, sm, memory, max_sm = _nvidia_smi("name,driver_version,clocks.sm,clocks.mem,clocks.max.sm")
    return {
        "kind": "environment",
        "gpu": name,
        "num_sms": _num_sms(cupy),
        "driver": driver,
        "cuda": _cuda_version(cupy),
        "cupy": cupy.__version__,
        "ncu": _ncu_version(ncu) if ncu else None,
        "utc": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "clocks_mhz": {"sm": _mhz(sm), "memory": _mhz(memory), "max_sm": _mhz(max_sm)},
    }


def _nvidia_smi(fields: str) -> list[str]:
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise MeasureError(f"nvidia-smi does not answer ({error}); is the NVIDIA driver installed?") from error
    return [field.strip() for field in output.strip().split(",")]


def _mhz(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _num_sms(cupy: Any) -> int:
    count: int = cupy.cuda.Device(0).attributes["MultiProcessorCount"]
    return count


def _cuda_version(cupy: Any) -> str:
    version = cupy.cuda.runtime.runtimeGetVersion()
    return f"{version // 1000}.{version % 1000 // 10}"


def _ncu_version(ncu: str) -> str:
    output = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
    found = re.search(r"Version\s+(\S+)", output)
    return found.group(1) if found else output.strip()
