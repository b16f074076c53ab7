"""What each process of a search does: both sides of the programs it is given, on its own connection to the GPU."""

from dataclasses import dataclass
from functools import lru_cache

from smsim.machine import load
from validation.differential.search import Task, Tried, try_seed
from validation.differential.sides import Bench


@dataclass(frozen=True)
class Worker:
    """Tries seeds; can be sent to another process, which connects to the GPU once.

    Attributes:
        machine: name or path of the simulated machine; changes: values replaced in it.
    """

    machine: str
    changes: tuple[tuple[str, str], ...] = ()

    def __call__(self, task: Task) -> Tried:
        """See :func:`validation.differential.search.try_seed`."""
        return try_seed(_bench(self).lay, task)


@lru_cache(maxsize=1)
def _bench(worker: Worker) -> Bench:
    return Bench(load(worker.machine).replace(dict(worker.changes)))
