"""Reads back what ``smsim compare --json FILE`` wrote."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import msgspec

from isa.errors import SmsimError
from validation.clock import ClockComparison
from validation.compare import Comparison, Figures
from validation.measurement import Cache, MeasurementError


class _Case(msgspec.Struct, frozen=True):
    """The keys that a comparison is made of; the others follow from them."""

    case: str
    case_class: str = msgspec.field(name="class")
    cache: Cache
    predicted: Figures
    measured: Figures
    cycles_spread: float
    clock64: ClockComparison | None = None


def read_comparisons(path: Path) -> list[Comparison]:
    """The comparisons of a file, without their instructions.

    Raises:
        MeasurementError: the file cannot be read, or holds something else.
    """
    try:
        cases = msgspec.json.decode(path.read_bytes(), type=list[_Case])
    except OSError as error:
        raise MeasurementError(f"cannot read {path}: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise MeasurementError(f"{path} is not what smsim compare --json writes: {error}") from None
    return [
        Comparison(
            case=case.case,
            case_class=case.case_class,
            cache=case.cache,
            predicted=case.predicted,
            measured=case.measured,
            cycles_spread=case.cycles_spread,
            clock64=case.clock64,
        )
        for case in cases
    ]


def run_on_file(name: str, usage: str | None, work: Callable[[Path], int | None]) -> NoReturn:
    """The command line of a module whose one argument is such a file: ends with what ``work`` returns, or its error."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    try:
        sys.exit(work(Path(sys.argv[1])))
    except SmsimError as error:
        sys.exit(f"{name}: {error}")
