"""What is promised of each case: a tolerance, or a known gap with its number in DEVIATIONS.md.

``expectations.toml`` holds tolerances (``[tolerance]``), known gaps (``[[known_gap]]``) and which cases the tests
simulate every time (``tested``). A gap that has closed is
an error as much as a promise that is broken: so the list of deviations stays true.
"""

import re
import tomllib
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from validation.compare import Comparison
from validation.measurement import Cache, MeasurementError

FILE = Path(__file__).with_name("expectations.toml")
DEVIATIONS = Path(__file__).with_name("DEVIATIONS.md")
Figure = Literal["cycles", "stalls", "instructions"]
FIGURES: tuple[Figure, ...] = ("cycles", "stalls", "instructions")


class KnownGap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases that are known to miss the tolerance of one figure.

    Attributes:
        number: of its entry in DEVIATIONS.md.
        figure: which figure is off.
        cases: patterns as of ``fnmatch``, e.g. "rsqrt_*/1024x256*".
        caches: the cache modes in which it is off.
    """

    number: int
    figure: Figure
    cases: tuple[str, ...]
    caches: tuple[Cache, ...] = ("warm", "cold")

    def covers(self, comparison: Comparison, figure: Figure) -> bool:
        """Whether this gap speaks of that figure of that case."""
        known = self.figure == figure and comparison.cache in self.caches
        return known and any(fnmatchcase(comparison.case, pattern) for pattern in self.cases)


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a prediction may be off: relative cycles, stall distance (0 to 1), relative instructions."""

    cycles: float
    stalls: float
    instructions: float


class Expectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tolerances by cache mode, the known gaps, and the cases (patterns) that the tests simulate every time."""

    tested: tuple[str, ...]
    tolerance: dict[Cache, Tolerance]
    known_gap: tuple[KnownGap, ...] = ()


class Verdict(Enum):
    """What became of a promise."""

    HELD = "within tolerance"
    BROKEN = "beyond tolerance"
    KNOWN_GAP = "beyond tolerance, as listed in DEVIATIONS.md"
    CLOSED_GAP = "within tolerance, though listed in DEVIATIONS.md: remove it there"


@dataclass(frozen=True)
class Judgement:
    """One figure of one case against what is promised of it.

    Attributes:
        error: how far it is off; tolerance: how far it may be.
        gaps: numbers of the known gaps that speak of it.
    """

    case: str
    cache: Cache
    figure: Figure
    error: float
    tolerance: float
    gaps: tuple[int, ...]

    @property
    def verdict(self) -> Verdict:
        """Held or broken; for a known gap, still open or closed."""
        within = self.error <= self.tolerance
        if self.gaps:
            return Verdict.CLOSED_GAP if within else Verdict.KNOWN_GAP
        return Verdict.HELD if within else Verdict.BROKEN

    def __str__(self) -> str:
        """For a test's message."""
        gaps = f" (gap {', '.join(map(str, self.gaps))})" if self.gaps else ""
        size = f"off by {self.error:.3f}, tolerance {self.tolerance:.3f}"
        return f"{self.case} {self.cache} {self.figure}: {size}: {self.verdict.value}{gaps}"


def load_expectations(path: Path = FILE) -> Expectations:
    """Read the file; MeasurementError names what is wrong in it."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Expectations)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise MeasurementError(f"{path}: {error}") from None


def judge(comparison: Comparison, expectations: Expectations) -> list[Judgement]:
    """Judge every figure of a case."""
    tolerance = expectations.tolerance[comparison.cache]
    instructions = comparison.predicted.instructions / comparison.measured.instructions - 1.0
    errors = {"cycles": abs(comparison.cycles_error), "stalls": comparison.stall_distance}
    errors["instructions"] = abs(instructions)
    return [
        Judgement(
            case=comparison.case,
            cache=comparison.cache,
            figure=figure,
            error=errors[figure],
            tolerance=getattr(tolerance, figure),
            gaps=tuple(gap.number for gap in expectations.known_gap if gap.covers(comparison, figure)),
        )
        for figure in FIGURES
    ]


def listed_deviations(path: Path = DEVIATIONS) -> list[int]:
    """Numbers of the entries in DEVIATIONS.md, in their order."""
    return [int(number) for number in re.findall(r"^## (\d+)\. ", path.read_text(encoding="utf-8"), re.MULTILINE)]
