"""The files that hold a description: a TOML file, and the tables that it names.

Every number stands beside its unit, the microbenchmark that it comes from, and that one's spread and date.
"""

import csv
import tomllib
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from isa.errors import MachineError

SCHEMA = 1
VALUE_KEYS = ("value", "unit", "spread", "date", "source")


@dataclass(frozen=True)
class Provenance:
    """Where a value comes from.

    Attributes:
        unit: what it counts.
        source: the microbenchmark: family, programs, launch.
        spread: the greatest less the least figure of the recording, in the value's unit; of a row of a table, the
            largest of its values. None of a value that was set by hand.
        date: of the recording, YYYY-MM-DD; None of a value that was set by hand.
    """

    unit: str
    source: str
    spread: float | None = None
    date: str | None = None


def read(path: Path) -> tuple[dict[str, Any], dict[str, Provenance]]:
    """A description's sections as nested dicts of plain values, and where each number comes from.

    Raises MachineError when one of the files cannot be read or is damaged.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MachineError(f"{path}: not a TOML file: {error}") from None
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None
    provenance: dict[str, Provenance] = {}
    tree = _strip(document, "", provenance, path)
    if tree.get("schema") != SCHEMA:
        raise MachineError(f"{path}: schema is {tree.get('schema')!r}; this version of smsim reads schema {SCHEMA}")
    for table, read_table in (("operations", _read_operations), ("forwarding", _read_forwarding)):
        name = tree.get(table)
        if not isinstance(name, str):
            raise MachineError(f"{path}: key {table!r} must name a CSV file beside it")
        tree[table] = read_table(path.parent / name, provenance)
    return tree, provenance


def _strip(node: Any, path: str, provenance: dict[str, Provenance], file: Path) -> Any:
    """The tree with each ``{value, unit, spread, date, source}`` replaced by its value."""
    if not isinstance(node, dict):
        return node
    if "value" in node:
        unknown = sorted(set(node) - set(VALUE_KEYS))
        missing = [key for key in VALUE_KEYS if not str(node.get(key, "")).strip()]
        if unknown or missing:
            problem = f"unknown key {unknown[0]!r}" if unknown else f"no {missing[0]}"
            raise MachineError(f"{file}: {path}: {problem}; a value is written {{ {', '.join(VALUE_KEYS)} }}")
        for key in ("value", "spread"):
            if not isinstance(node[key], int | float):
                raise MachineError(f"{file}: {path}: {node[key]!r} is not a number")
        if not isinstance(node["date"], date):
            raise MachineError(f"{file}: {path}: {node['date']!r} is not a date, written 2026-11-21 without quotes")
        provenance[path] = Provenance(str(node["unit"]), str(node["source"]), node["spread"], str(node["date"]))
        return node["value"]
    return {key: _strip(child, f"{path}.{key}" if path else key, provenance, file) for key, child in node.items()}


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                if None in row or None in row.values():
                    raise MachineError(f"{path}, line {line}: not as many columns as the first line has")
                yield line, row
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise MachineError(f"{path}: not a CSV file: {error}") from None


@contextmanager
def _place_named(path: Path, line: int) -> Iterator[None]:
    """Turn what is wrong with a table's row into a MachineError that says where it stands."""
    try:
        yield
    except KeyError as error:
        raise MachineError(f"{path}: the table has no column {error}") from None
    except (ValueError, TypeError) as error:
        raise MachineError(f"{path}, line {line}: {error}") from None


def _check_new(name: str, table: Container[str]) -> None:
    if name in table:
        raise ValueError(f"{name} stands there twice")


def _row_provenance(row: dict[str, str], name: str, *, has_numbers: bool) -> Provenance:
    """Take a table's row's columns ``source``, ``spread`` and ``date`` out of it; numbers need the latter two.

    Raises ValueError when one is missing or damaged.
    """
    spread, day, source = row.pop("spread"), row.pop("date"), row.pop("source")
    needed = {"source": source, **({"spread": spread, "date": day} if has_numbers else {})}
    for key, text in needed.items():
        if not text.strip():
            raise ValueError(f"{name} has no {key}")
    if day:
        date.fromisoformat(day)
    return Provenance("cycles", source, float(spread) if spread else None, day or None)


_NUMBERS = ("interval", "sm_interval", "latency", "read_latency", "second_pass", "unforwarded")


def _read_operations(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, Any]]:
    operations: dict[str, dict[str, Any]] = {}
    for line, row in _rows(path):
        with _place_named(path, line):
            name = row.pop("operation")
            numbers = {key: int(row.pop(key)) if row[key] else None for key in _NUMBERS}
            has_numbers = any(value is not None for value in numbers.values())
            origin = _row_provenance(row, name, has_numbers=has_numbers)
            _check_new(name, operations)
        operations[name] = {**row, **numbers, "source": origin.source}
        for key, value in numbers.items():
            if value is not None:
                provenance[f"operations.{name}.{key}"] = origin
    return operations


def _read_forwarding(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for line, row in _rows(path):
        with _place_named(path, line):
            writer = row.pop("writer")
            origin = _row_provenance(row, writer, has_numbers=True)
            numbers = {reader: int(value) for reader, value in row.items() if value}
            _check_new(writer, table)
        table[writer] = numbers
        provenance.update({f"forwarding.{writer}.{reader}": origin for reader in numbers})
    if not table:
        raise MachineError(f"{path}: the table has no rows")
    return table
