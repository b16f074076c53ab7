"""How the benchmarks time what they do."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T], runs: int = 3) -> tuple[float, T]:
    """CPU seconds, the best of so many runs, and what came of the last."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        value = work()
        best = min(best, time.process_time() - start)
    return best, value
