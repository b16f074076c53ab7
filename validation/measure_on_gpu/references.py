"""What the outputs must be, computed ahead by other processes: some of the references in NumPy take seconds."""

import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor

from kernels import Expected
from validation.measure_on_gpu.job import Argument, Case, Job

MOST_PROCESSES = 8  # each holds the arguments of a case, at most some 0.6 GB
LARGE_THREADS = 1 << 16  # launches with fewer are computed at once: that is faster than asking another process


class References:
    """The expected outputs of cases that are asked for in the order given."""

    def __init__(self, job: Job, cases: Sequence[Case]) -> None:
        self.job = job
        self.waiting: Iterator[Case] = iter([case for case in cases if _is_large(case)])
        self.ahead: deque[tuple[str, Future[dict[int, Expected]]]] = deque()
        self.processes = max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) // 2))
        # Forking a process that has a CUDA context is not allowed.
        self.pool = ProcessPoolExecutor(self.processes, mp_context=multiprocessing.get_context("spawn"))
        for _ in range(self.processes):
            self._begin_next()

    def of(self, case: Case, arguments: list[Argument]) -> Mapping[int, Expected]:
        """What the arrays among ``arguments`` hold after the launch, by argument index."""
        if not _is_large(case):
            return self.job.expected(case, arguments)
        key, future = self.ahead.popleft()
        if key != case.key:
            raise ValueError(f"{case.case} is not the case whose outputs come next")
        self._begin_next()
        return future.result()

    def close(self) -> None:
        """End the processes."""
        self.pool.shutdown(cancel_futures=True)

    def _begin_next(self) -> None:
        case = next(self.waiting, None)
        if case is not None:
            self.ahead.append((case.key, self.pool.submit(_expected, self.job, case)))


def _is_large(case: Case) -> bool:
    x, y, z = case.grid
    width, height, depth = case.block
    return case.arguments is None and x * y * z * width * height * depth >= LARGE_THREADS


def _expected(job: Job, case: Case) -> dict[int, Expected]:
    return job.expected(case, job.arguments(case))
