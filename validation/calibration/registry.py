"""Which microbenchmark gives which value of the machine, and how it follows: ``values.csv``, read and checked.

A row, e.g. ``pipes.xu.latency,cycles,variable,variable/MUFU.RCP/write,1,,0``:
    path            the value's path in the machine description
    derivation      a function of derivations/, by its name
    family          the recording; "measurements" for ncu's counters of catalogue kernels (validation/measurements)
    programs        programs of the family, joined by " & "; ``*`` stands for any text, ``{}`` for the argument ``n``
    launch          the launch's label
    arguments       further numbers and paths, KEY=VALUE, joined by blanks
    digits          decimals that the value is rounded to
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .errors import CalibrationError

ONE_WARP = "1"
COLUMNS = ["path", "derivation", "family", "programs", "launch", "arguments", "digits"]


@dataclass(frozen=True)
class Rule:
    """How one value of the machine follows from the recordings.

    The fields are the columns of ``values.csv``; ``named`` is the source's text where it would be too long.
    """

    path: str
    derivation: str
    family: str
    programs: tuple[str, ...]
    launch: str
    arguments: Mapping[str, str]
    digits: int
    named: str = ""

    @property
    def source(self) -> str:
        """The microbenchmark, as the machine file names it: family, programs, and the launch if not one warp's."""
        launch = "" if self.launch == ONE_WARP else f", {self.launch}"
        programs = " & ".join(self.programs).replace("{}", f"{{{self.arguments.get('n', '*')}}}")
        return self.named or f"{self.family}: {programs}{launch}"

    def number(self, key: str, default: float | None = None) -> float:
        """A numeric argument.

        Raises:
            CalibrationError: it is not there, or not a number.
        """
        text = self.arguments.get(key)
        if text is None and default is not None:
            return default
        try:
            return float(text or "")
        except ValueError:
            raise CalibrationError(
                f"values.csv: {self.path}: argument {key!r} must be a number, not {text!r}"
            ) from None


@cache
def rules() -> Mapping[str, Rule]:
    """All rows of ``values.csv``, by path.

    Raises:
        CalibrationError: a row is damaged, or a path stands there twice.
    """
    table: dict[str, Rule] = {}
    for rule in read(files(__package__).joinpath("values.csv").read_text(encoding="utf-8")):
        if rule.path in table:
            raise CalibrationError(f"values.csv: {rule.path} stands there twice")
        table[rule.path] = rule
    return table


def read(text: str) -> Iterator[Rule]:
    """The rules of a table.

    Raises:
        CalibrationError: a row is damaged.
    """
    reader = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    if reader.fieldnames != COLUMNS:
        raise CalibrationError(f"values.csv: the columns must be {','.join(COLUMNS)}")
    for row in reader:
        try:
            arguments = dict(pair.split("=", 1) for pair in row["arguments"].split())
            yield Rule(
                path=row["path"],
                derivation=row["derivation"],
                family=row["family"],
                programs=tuple(row["programs"].split(" & ")),
                launch=row["launch"],
                arguments=arguments,
                digits=int(row["digits"]),
            )
        except (ValueError, TypeError, AttributeError):
            raise CalibrationError(f"values.csv: damaged row {','.join(map(str, row.values()))!r}") from None
