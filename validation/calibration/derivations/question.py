"""What a derivation is asked, and where it looks things up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..recordings import Recordings
from ..registry import Rule


@dataclass(frozen=True)
class Question:
    """One rule and the recordings to answer it from.

    Attributes:
        rule: the row of ``values.csv``.
        recordings: where its programs are.
        value: another value of the machine by its path, as it was derived.
    """

    rule: Rule
    recordings: Recordings
    value: Callable[[str], float]

    def repeats(self, program: str) -> list[Any]:
        """What a program recorded under the rule's launch, one entry per repeat."""
        return self.recordings.launches(self.rule.family, program, self.rule.launch)

    def matching(self, pattern: str) -> list[str]:
        """The names of the recorded programs that match."""
        return list(self.recordings.programs(self.rule.family, pattern))

    def numbered(self, pattern: str) -> dict[int, str]:
        """The recorded programs by the number that stands in their names for ``{}``, ascending."""
        before, behind = pattern.split("{}")
        names = {name.removeprefix(before).removesuffix(behind): name for name in self.matching(f"{before}*{behind}")}
        return {number: names[str(number)] for number in sorted(int(text) for text in names if text.isdigit())}

    def meta(self, program: str) -> dict[str, Any]:
        """Numbers that the program's author left for the analysis."""
        meta: dict[str, Any] = self.recordings.programs(self.rule.family, program)[program]["meta"]
        return meta

    def elapsed(self, program: str) -> list[float]:
        """Cycles from a program's first clock read to its last, less the known lead, sorted over the repeats."""
        lead = self.meta(program).get("lead", 0)
        return sorted(cycles - lead for cycles in self.repeats(program))

    def settled(self, program: str) -> float:
        """The median of :meth:`elapsed`."""
        return median(self.elapsed(program))


def spread_apart(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """First less second: like quantiles where they have as many samples, each less the other's median where not."""
    if len(first) == len(second):
        return [a - b for a, b in zip(sorted(first), sorted(second), strict=True)]
    return [a - median(second) for a in first]
