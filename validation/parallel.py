"""Many cases over several processes, results in the cases' order; a case that fails is told and the rest goes on."""

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from isa.errors import SmsimError


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Case = TypeVar("Case", bound=_Named)
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Failure:
    """A case that has no result, and why."""

    case: str
    message: str

    def __str__(self) -> str:
        return f"{self.case}: {self.message}"


def run_cases(
    work: Callable[[Case], Outcome], cases: Sequence[Case], jobs: int | None = None
) -> Generator[Outcome | Failure, None, None]:
    """Do the work of each case; as many outcomes as cases, in their order.

    Args:
        work: a function that can be pickled, as its cases and outcomes.
        cases: each has a ``name``.
        jobs: processes; None is one per core. With one, or with one case, everything runs in this process.

    When the iterator is left early (Ctrl-C), the processes are ended.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(cases))
    if jobs <= 1:
        yield from (_attempt(work, case) for case in cases)
        return
    # Forking a process that has threads, as a progress display has, may deadlock the child.
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker) as pool:
        futures = [pool.submit(_attempt, work, case) for case in cases]
        try:
            for case, future in zip(cases, futures, strict=True):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield Failure(case.name, "its process ended, killed or out of memory; try --jobs 1")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
            raise


def _attempt(work: Callable[[Case], Outcome], case: Case) -> Outcome | Failure:
    try:
        return work(case)
    except SmsimError as error:
        return Failure(case.name, str(error))
    except Exception as error:  # a fault of smsim's own in one case must not cost the others
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        return Failure(case.name, f"internal error at {place}: {type(error).__name__}: {error}")


def _start_worker() -> None:
    """Ctrl-C is for the parent to see; a parent that was killed takes its workers along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
