"""What is promised of every recorded case: a tolerance, or a known gap with its number in DEVIATIONS.md.

``expectations.toml`` holds what people decide: the tolerances by class and cache mode, the rules by which a case that
misses its tolerance belongs to an entry of DEVIATIONS.md, and which cases the tests simulate every time.
``known_gaps.csv`` lists the cases that miss theirs today, one figure of one case per line;
``python -m validation.known_gaps`` writes it. A gap that has closed is an error as much as a promise that is broken: so
the list of deviations stays true.
"""

import csv
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, cast

import msgspec

from validation.compare import Comparison
from validation.measurement import CACHES, Cache, MeasurementError

FILE = Path(__file__).with_name("expectations.toml")
KNOWN_GAPS = Path(__file__).with_name("known_gaps.csv")
DEVIATIONS = Path(__file__).with_name("DEVIATIONS.md")
Figure = Literal["cycles", "stalls", "instructions"]
FIGURES: tuple[Figure, ...] = ("cycles", "stalls", "instructions")
COLUMNS = ("case", "cache", "figure", "deviation")


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a prediction may be off: relative cycles, stall distance (0 to 1), relative instructions."""

    cycles: float
    stalls: float
    instructions: float = 0.0


class GapRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which entry of DEVIATIONS.md explains a case that misses a tolerance.

    Attributes:
        number: of the entry.
        cases: patterns as of ``fnmatch``, e.g. "rsqrt_*/1024x256*".
        figures, caches: of which it may explain that they are off; all when left out.
    """

    number: int
    cases: tuple[str, ...]
    figures: tuple[Figure, ...] = FIGURES
    caches: tuple[Cache, ...] = CACHES

    def explains(self, case: str, cache: Cache, figure: Figure) -> bool:
        """Whether this entry speaks of that figure of that case."""
        known = figure in self.figures and cache in self.caches
        return known and any(fnmatchcase(case, pattern) for pattern in self.cases)


class Expectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``expectations.toml``: of several rules that explain a gap, the first counts."""

    tested: tuple[str, ...]
    tolerance: dict[str, dict[Cache, Tolerance]]
    gap: tuple[GapRule, ...] = ()

    def of(self, case_class: str, cache: Cache) -> Tolerance:
        """The tolerance of a class; MeasurementError when none is stated."""
        try:
            return self.tolerance[case_class][cache]
        except KeyError:
            raise MeasurementError(
                f"{FILE.name} promises nothing of class {case_class!r} with {cache} caches: "
                f"state [tolerance.{case_class}.{cache}]"
            ) from None

    def deviation(self, case: str, cache: Cache, figure: Figure) -> int | None:
        """The number of the entry of DEVIATIONS.md that explains why the figure is off; None when none does."""
        return next((rule.number for rule in self.gap if rule.explains(case, cache, figure)), None)


Gap = tuple[str, Cache, Figure]
KnownGaps = Mapping[Gap, int]


class Verdict(Enum):
    """What became of a promise."""

    HELD = "within tolerance"
    BROKEN = "beyond tolerance"
    KNOWN_GAP = "beyond tolerance, as listed in DEVIATIONS.md"
    CLOSED_GAP = "within tolerance, though known_gaps.csv lists it"

    @property
    def is_fault(self) -> bool:
        """Whether a check fails for it."""
        return self in (Verdict.BROKEN, Verdict.CLOSED_GAP)


@dataclass(frozen=True)
class Judgement:
    """One figure of one case against what is promised of it.

    Attributes:
        error: how far it is off; tolerance: how far it may be.
        deviation: number of the known gap that speaks of it, if one does.
    """

    case: str
    cache: Cache
    figure: Figure
    error: float
    tolerance: float
    deviation: int | None

    @property
    def verdict(self) -> Verdict:
        """Held or broken; for a known gap, still open or closed."""
        within = self.error <= self.tolerance
        if self.deviation is not None:
            return Verdict.CLOSED_GAP if within else Verdict.KNOWN_GAP
        return Verdict.HELD if within else Verdict.BROKEN

    def __str__(self) -> str:
        """For a test's message."""
        gap = "" if self.deviation is None else f" (deviation {self.deviation})"
        size = f"off by {self.error:.3f}, tolerance {self.tolerance:.3f}"
        return f"{self.case} {self.cache} {self.figure}: {size}: {self.verdict.value}{gap}"


def load_expectations(path: Path = FILE) -> Expectations:
    """Read the file; MeasurementError names what is wrong in it."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Expectations)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise MeasurementError(f"{path}: {error}") from None


def load_known_gaps(path: Path = KNOWN_GAPS) -> KnownGaps:
    """Read the list; MeasurementError names the line that is wrong."""
    gaps: dict[Gap, int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if tuple(rows.fieldnames or ()) != COLUMNS:
                raise MeasurementError(f"{path}: the first line must be {','.join(COLUMNS)}")
            for line, row in enumerate(rows, start=2):
                gap, number = (row["case"], row["cache"], row["figure"]), row["deviation"] or ""
                if gap[1] not in CACHES or gap[2] not in FIGURES or not number.isdecimal():
                    raise MeasurementError(f"{path}, line {line}: not a case, warm or cold, a figure and a number")
                gaps[cast(Gap, gap)] = int(number)
    except OSError as error:
        raise MeasurementError(f"cannot read {path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise MeasurementError(f"{path}: damaged: {error}") from None
    return gaps


def judge(comparison: Comparison, expectations: Expectations, known: KnownGaps) -> list[Judgement]:
    """Judge every figure of a case; MeasurementError when nothing is promised of its class."""
    tolerance = expectations.of(comparison.case_class, comparison.cache)
    return [
        Judgement(
            case=comparison.case,
            cache=comparison.cache,
            figure=figure,
            error=errors(comparison)[figure],
            tolerance=getattr(tolerance, figure),
            deviation=known.get((comparison.case, comparison.cache, figure)),
        )
        for figure in FIGURES
    ]


def errors(comparison: Comparison) -> dict[Figure, float]:
    """How far each figure of a case is off, never negative."""
    return {
        "cycles": abs(comparison.cycles_error),
        "stalls": comparison.stall_distance,
        "instructions": abs(comparison.predicted.instructions / comparison.measured.instructions - 1.0),
    }


def listed_deviations(path: Path = DEVIATIONS) -> list[int]:
    """Numbers of the entries in DEVIATIONS.md, in their order."""
    return [int(number) for number in re.findall(r"^## (\d+)\. ", path.read_text(encoding="utf-8"), re.MULTILINE)]
