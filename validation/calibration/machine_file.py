"""A machine's files with the values that were derived: numbers and provenance replaced, all else as it stands."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from isa.files import write_whole
from smsim.machine import Machine, load

from .derive import Derived
from .errors import CalibrationError

_VALUE = re.compile(r'(?P<key>\w+) = \{ value = [^,]+, unit = "(?P<unit>[^"]*)", .*\}(?P<comment>\s*#.*)?')
_SECTION = re.compile(r"\[(?P<name>[\w.]+)\]")
_NAMES = re.compile(r'(?P<key>name|operations|forwarding|gpu|driver) = "[^"]*"')
_TABLES = ("operations", "forwarding")
PROVENANCE = ("spread", "date", "source")


def texts(machine: Path, name: str, derived: Mapping[str, Derived], measured: Mapping[str, str]) -> dict[str, str]:
    """The files of a machine called ``name``, by file name, made from those of another and from derived values.

    Args:
        machine: the TOML file that units, layout and what was not derived are taken from.
        name: of the new machine.
        derived: the values, by path.
        measured: ``gpu`` and ``driver`` for the head of the file.

    Raises:
        CalibrationError: the file is not laid out as one value a line.
    """
    files = {f"{name}.toml": _toml(machine, name, derived, measured)}
    for table in _TABLES:
        text = (machine.parent / _table_name(machine, table)).read_text(encoding="utf-8")
        files[f"{name}_{table}.csv"] = _csv(text, table, derived)
    return files


def write(target: Path, files: Mapping[str, str]) -> Machine:
    """Write a machine's files beside each other, and load them to be sure of them.

    Raises:
        OSError: the folder cannot be written to.
        MachineError: a value does not fit the description.
    """
    for name, text in files.items():
        write_whole(target.parent / name, text.encode())
    return load(target)


def _table_name(machine: Path, table: str) -> str:
    found = re.search(rf'^{table} = "([^"]+)"$', machine.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise CalibrationError(f'{machine}: no line {table} = "FILE"')
    return found[1]


def _toml(machine: Path, name: str, derived: Mapping[str, Derived], measured: Mapping[str, str]) -> str:
    heads = {"name": name, "operations": f"{name}_operations.csv", "forwarding": f"{name}_forwarding.csv", **measured}
    lines, section, replaced = [], "", set()
    for line in machine.read_text(encoding="utf-8").splitlines():
        if found := _SECTION.match(line):
            section = found["name"]
        elif found := _NAMES.fullmatch(line):
            line = f'{found["key"]} = "{heads[found["key"]]}"'  # noqa: PLW2901
        elif (found := _VALUE.fullmatch(line)) and (value := derived.get(f"{section}.{found['key']}")):
            replaced.add(value.rule.path)
            line = f"{found['key']} = {_value(value, found['unit'])}{found['comment'] or ''}"  # noqa: PLW2901
        lines.append(line)
    wanted = {path for path in derived if not path.startswith(tuple(f"{table}." for table in _TABLES))}
    if missing := sorted(wanted - replaced):
        raise CalibrationError(f"{machine}: no line for {missing[0]}; a value stands on a line of its own")
    return "\n".join(lines) + "\n"


def _value(value: Derived, unit: str) -> str:
    spread = f"spread = {value.spread:.3g}, date = {value.date}"
    return f'{{ value = {value.value}, unit = "{unit}", {spread}, source = "{value.rule.source}" }}'


def _csv(text: str, table: str, derived: Mapping[str, Derived]) -> str:
    """A table with its numbers replaced; a row's provenance is that of its numbers, once all of them are derived."""
    rows = list(csv.DictReader(text.splitlines()))
    numbers = [column for column in rows[0] if column not in (*PROVENANCE, "unit", "pipe", "operation", "writer")]
    key = next(iter(rows[0]))
    for row in rows:
        filled = [column for column in numbers if row[column]]
        found = {column: derived.get(f"{table}.{row[key]}.{column}") for column in filled}
        values = [value for value in found.values() if value is not None]
        row.update({column: str(value.value) for column, value in found.items() if value is not None})
        if values and len(values) == len(filled):
            row["spread"] = f"{max(value.spread for value in values):.3g}"
            row["date"] = max(value.date for value in values)
            row["source"] = "; ".join(dict.fromkeys(value.rule.source for value in values))
    out = io.StringIO()
    columns = [*(column for column in rows[0] if column not in PROVENANCE), *PROVENANCE]
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
