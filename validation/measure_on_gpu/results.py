"""What was measured, one JSON object a line, appended as it comes: an interrupted run keeps every line it wrote.

A line's ``kind``:
    "environment"  gpu, driver, cuda, ncu, cupy, utc, clocks_mhz: holds for the lines that follow it
    "run"          key, case, cubin_sha256, status ("ok", "wrong" or "failed"), message, writes, event_us, clock64
    "counters"     key, case, cache ("warm" or "cold"), repeat, counters; samples, where they were asked for: null when
                   they were of no use, else as measure_on_gpu/samples.py says
    "note"         message
Of two lines of the same case, cache mode and repeat the later one holds. ``clock64`` has one list per launch.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from validation.measure_on_gpu.job import MeasureError

Record = dict[str, Any]
FILE_NAME = "results.jsonl"


def read_lines(path: Path) -> list[Record]:
    """Every complete line of a file of JSON lines; a last line that was cut off is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    records = []
    for number, line in enumerate(lines[:-1], start=1):  # what follows the last newline is empty or cut off
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise MeasureError(f"{path}:{number}: damaged ({error}); delete this line to measure it again") from error
    return records


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """Append records."""
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n" for record in records)


class Results:
    """The results file of an output folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE_NAME
        self.records = read_lines(self.path)
        if self.path.exists():
            os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)  # a last line that was cut off

    def add(self, *records: Record) -> None:
        """Append records to the file."""
        write_lines(self.path, records)
        self.records.extend(records)

    def of_kind(self, kind: str) -> Iterable[Record]:
        """The records of a kind, oldest first."""
        return (record for record in self.records if record["kind"] == kind)

    def note(self, message: str) -> None:
        """Keep a remark about the run, once."""
        if all(record["message"] != message for record in self.of_kind("note")):
            self.add({"kind": "note", "message": message})
