"""``python -m validation.memory_counters COMPARE.json``: what caches and DRAM count beside ncu's counts.

COMPARE.json is what ``smsim compare --suite open --json COMPARE.json`` wrote:

    | Counter, off at most | Caches | Cases | Within | Median off | 90 % | Worst |
    | L1 load sectors, 2% | warm | 332 | 332 | 0.0% | 0.0% | 1.0% |

Bytes of DRAM with warm caches are left out: ncu counts them in a first run that finds little in L2.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smsim.events import COUNTERS, Event
from validation.compare import Comparison
from validation.compared_file import read_comparisons, run_on_file
from validation.measurement import CACHES, Cache

Memory = Mapping[str, float]
Off = Callable[[Memory, Memory], float | None]
FEW_BYTES = 1 << 20  # written to DRAM: less is lost in what ncu itself moves


class Figure(NamedTuple):
    """A figure of a case: its name, by how much a prediction may be off, and by how much it is (None: it has none)."""

    name: str
    limit: float
    off: Off
    caches: tuple[Cache, ...] = CACHES


@dataclass(frozen=True)
class Agreement:
    """How far a figure is off in the cases that have it."""

    figure: Figure
    cache: Cache
    off: tuple[float, ...]

    @property
    def within(self) -> int:
        """Cases that are within the limit."""
        return sum(off <= self.figure.limit for off in self.off)


def relative(event: Event, least: float = 1.0) -> Off:
    """|predicted - measured| / measured of a count, where that is large enough."""
    name = COUNTERS[event]

    def off(predicted: Memory, measured: Memory) -> float | None:
        if measured.get(name, 0.0) < least:
            return None
        return abs(predicted[name] / measured[name] - 1.0)

    return off


def rate(part: Event, whole: Event) -> Off:
    """|predicted - measured| of the share that one count is of another."""

    def off(predicted: Memory, measured: Memory) -> float | None:
        if not (measured.get(COUNTERS[whole]) and predicted[COUNTERS[whole]] and COUNTERS[part] in measured):
            return None
        return abs(_share(predicted, part, whole) - _share(measured, part, whole))

    return off


def _share(memory: Memory, part: Event, whole: Event) -> float:
    return memory[COUNTERS[part]] / memory[COUNTERS[whole]]


FIGURES = (
    Figure("L1 load sectors", 0.02, relative(Event.GLOBAL_LOAD_SECTORS)),
    Figure("L1 store sectors", 0.02, relative(Event.GLOBAL_STORE_SECTORS)),
    Figure("L1 local load sectors", 0.02, relative(Event.LOCAL_LOAD_SECTORS)),
    Figure("L1 local store sectors", 0.02, relative(Event.LOCAL_STORE_SECTORS)),
    Figure("L1 hit rate of loads", 0.02, rate(Event.GLOBAL_LOAD_HITS, Event.GLOBAL_LOAD_SECTORS)),
    Figure("L2 sectors", 0.02, relative(Event.L2_SECTORS)),
    Figure("L2 miss rate", 0.02, rate(Event.L2_MISSES, Event.L2_SECTORS)),
    Figure("DRAM bytes read", 0.05, relative(Event.DRAM_BYTES_READ), ("cold",)),
    Figure("DRAM bytes written", 0.05, relative(Event.DRAM_BYTES_WRITTEN, FEW_BYTES), ("cold",)),
)


def agreements(comparisons: Iterable[Comparison]) -> list[Agreement]:
    """One for each figure and cache mode, of the cases that have it."""
    cases = list(comparisons)
    found = []
    for figure in FIGURES:
        for cache in figure.caches:
            offs = (figure.off(c.predicted.memory, c.measured.memory) for c in cases if c.cache == cache)
            found.append(Agreement(figure, cache, tuple(off for off in offs if off is not None)))
    return [agreement for agreement in found if agreement.off]


def table(found: Sequence[Agreement]) -> str:
    """The agreements in Markdown."""
    lines = ["| Counter, off at most | Caches | Cases | Within | Median off | 90 % | Worst |", "|-|-|-|-|-|-|-|"]
    for one in found:
        median, ninety = np.percentile(one.off, (50, 90))
        lines.append(
            f"| {one.figure.name}, {one.figure.limit:.0%} | {one.cache} | {len(one.off)} | {one.within} | "
            f"{median:.1%} | {ninety:.1%} | {max(one.off):.1%} |"
        )
    return "\n".join(lines)


def main(path: Path) -> None:
    """Print the table of such a file."""
    print(table(agreements(read_comparisons(path))))


if __name__ == "__main__":
    run_on_file("memory_counters", __doc__, main)
