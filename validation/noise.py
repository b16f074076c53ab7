"""How far the runs of the same launch differ: what no prediction can be held to."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from validation.compare import CYCLES
from validation.measurement import CACHES, Cache, MeasurementFile

WORST = 3  # cases that are named


@dataclass(frozen=True)
class Noise:
    """Spreads of a counter (largest minus smallest figure, relative to the mean) over launches with two runs or more.

    Attributes:
        cache: in which cache mode.
        launches: how many there are.
        median: of their spreads.
        worst: the cases ("kernel/launch") with the largest spreads, largest first.
    """

    cache: Cache
    launches: int
    median: float
    worst: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        """One line for people."""
        named = ", ".join(f"{case} {spread:.2%}" for case, spread in self.worst)
        return f"{self.cache}: runs differ by {self.median:.2%} (median of {self.launches} launches), most: {named}"


def noise(files: Iterable[MeasurementFile], counter: str = CYCLES) -> list[Noise]:
    """The noise of a counter in each cache mode that has a launch with two figures of it."""
    spreads: dict[Cache, dict[str, float]] = {}
    for file in files:
        for launch in file.launches:
            for cache in CACHES:
                if len(launch.figures(counter, cache)) > 1:
                    spread = launch.spread(counter, cache)
                    spreads.setdefault(cache, {})[f"{file.kernel}/{launch.launch}"] = spread
    return [
        Noise(
            cache=cache,
            launches=len(by_case),
            median=median(by_case.values()),
            worst=tuple(sorted(by_case.items(), key=lambda item: -item[1])[:WORST]),
        )
        for cache, by_case in spreads.items()
    ]
