"""Stands in for CuPy on a machine without a GPU: kernels are named Python functions on NumPy arrays.

Launches between profilerStart and profilerStop are appended to the file that the fake ncu names in FAKE_NCU_LAUNCHES.
"""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

__version__ = "fake"


class CUDARuntimeError(RuntimeError):
    pass


class Array:
    def __init__(self, values):
        self.values = values.copy()

    def get(self):
        return self.values.copy()

    def set(self, values):
        self.values[...] = values


def asarray(values):
    return Array(values)


def get_default_memory_pool():
    return SimpleNamespace(free_all_blocks=lambda: None)


def double(values, cycles, factor):
    values.values *= factor
    cycles.values[:] = 7


def fail(*_):
    raise CUDARuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")


def wait(*_):
    time.sleep(60.0)


def scale(values, factor):
    values.values *= factor


KERNELS = {"double": double, "scale": scale, "fail": fail, "wait": wait}
_profiling = [False]


class Function:
    shared_size_bytes = 0

    def __init__(self, name):
        self.name = name

    def __call__(self, grid, block, args, shared_mem=0):
        KERNELS[self.name](*args)
        if _profiling[0]:
            with Path(os.environ["FAKE_NCU_LAUNCHES"]).open("a") as stream:
                stream.write(json.dumps([self.name, str(grid), str(block)]) + "\n")


class RawModule:
    def __init__(self, path):
        assert Path(path).read_bytes().startswith((b"cubin", b"\x7fELF"))

    def get_function(self, name):
        return Function(name)


class Event:
    def record(self):
        pass

    def synchronize(self):
        pass


def _set_profiling(on):
    _profiling[0] = on


def _device_count():
    return int(os.environ.get("FAKE_GPUS", "1"))


runtime = SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=_device_count,
    deviceSynchronize=lambda: None,
    profilerStart=lambda: _set_profiling(True),
    profilerStop=lambda: _set_profiling(False),
    runtimeGetVersion=lambda: 13000,
)
cuda = SimpleNamespace(
    runtime=runtime,
    Event=Event,
    Device=lambda index: SimpleNamespace(attributes={"MultiProcessorCount": np.int64(132).item()}),
    get_elapsed_time=lambda before, after: 0.005,
)
