"""One case on the GPU, through CuPy: its cubin loaded as it is, its arguments, its launch."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels import Expected
from validation.measure_on_gpu.job import Argument, Case, Job, MeasureError

STATIC_SHARED_LIMIT = 48 * 1024  # more shared memory than this has to be asked for


def import_cupy() -> Any:
    """CuPy, with a GPU to use; MeasureError says which of the two is missing."""
    try:
        import cupy  # noqa: PLC0415  # only the GPU machine has it
    except ImportError as error:
        raise MeasureError("CuPy is not installed; on the GPU machine: pip install cupy-cuda13x") from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MeasureError(f"no usable NVIDIA GPU: {error}") from error
    if count == 0:
        raise MeasureError("no NVIDIA GPU on this machine")
    return cupy


class LoadedCase:
    """A case whose cubin and arguments are on the GPU.

    Copies go through the copy engine only: no kernel runs besides the case's own, so that the second of two launches
    finds the caches as the first left them.
    """

    def __init__(self, cupy: Any, job: Job, case: Case, initial: list[Argument]) -> None:
        self.cupy = cupy
        self.case = case
        self.initial = initial
        self.arguments = [self._upload(value) for value in self.initial]
        self.function = cupy.RawModule(path=str(job.cubin_path(case))).get_function(case.function)
        if case.dynamic_shared_bytes > STATIC_SHARED_LIMIT - self.function.shared_size_bytes:
            self.function.max_dynamic_shared_size_bytes = case.dynamic_shared_bytes

    def _upload(self, value: Argument) -> Any:
        return self.cupy.asarray(value) if isinstance(value, np.ndarray) else value

    def launch(self) -> None:
        """Start the kernel; does not wait for it."""
        case = self.case
        self.function(case.grid, case.block, tuple(self.arguments), shared_mem=case.dynamic_shared_bytes)

    def synchronize(self) -> None:
        """Wait for the GPU."""
        self.cupy.cuda.runtime.deviceSynchronize()

    def output(self, index: int) -> np.ndarray:
        """Contents of a pointer argument now."""
        contents: np.ndarray = self.arguments[index].get()
        return contents

    def written(self) -> list[int]:
        """Pointer arguments whose contents are no longer the initial ones."""
        arrays = [index for index, value in enumerate(self.initial) if isinstance(value, np.ndarray)]
        return [index for index in arrays if not _same_bytes(self.output(index), np.asarray(self.initial[index]))]

    def reset(self, indices: list[int]) -> None:
        """Give arguments their initial contents again: every launch computes on the same input."""
        for index in indices:
            self.arguments[index].set(self.initial[index])
        self.synchronize()

    def release(self) -> None:
        """Give the arguments' memory back: ncu saves all that is allocated before it profiles a launch."""
        self.arguments = []
        self.cupy.get_default_memory_pool().free_all_blocks()


def _same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(np.ascontiguousarray(one).view(np.uint8), np.ascontiguousarray(other).view(np.uint8))


def mismatch(loaded: LoadedCase, outputs: Mapping[int, Expected]) -> str | None:
    """What is wrong with the outputs after one launch, or None when all that are expected are right."""
    for index, expected in outputs.items():
        got = loaded.output(index)
        differs = expected.differs(got).reshape(-1)
        if differs.any():
            first = int(np.argmax(differs))
            wrong = f"{np.count_nonzero(differs)} of {differs.size} elements differ"
            return (
                f"argument {index}: {wrong}, the first at {first}: "
                f"{got.reshape(-1)[first]} instead of {expected.values.reshape(-1)[first]}"
            )
    return None
