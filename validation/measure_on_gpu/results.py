"""What was measured, one JSON object a line, appended as it comes: an interrupted run keeps every line it wrote.

A line's ``kind``:
    "environment"  gpu, driver, cuda, ncu, cupy, utc, clocks_mhz: holds for the lines that follow it
    "run"          key, case, cubin_sha256, status ("ok", "wrong" or "failed"), message, writes, event_us, clock64
    "counters"     key, case, cache ("warm" or "cold"), repeat, counters
    "note"         message
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


def append_line(path: Path, record: Record) -> None:
    """Append one record and make sure that it is on disk."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record, sort_keys=True) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


class Results:
    """The results file of an output folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE_NAME
        self.records = read_lines(self.path)
        if self.path.exists() and not self.path.read_bytes().endswith(b"\n"):
            text = "".join(json.dumps(record, sort_keys=True) + "\n" for record in self.records)
            self.path.write_text(text, encoding="utf-8")  # without the cut-off line

    def add(self, record: Record) -> None:
        """Append a record to the file."""
        append_line(self.path, record)
        self.records.append(record)

    def of_kind(self, kind: str) -> Iterable[Record]:
        """The records of a kind, oldest first."""
        return (record for record in self.records if record["kind"] == kind)

    def note(self, message: str) -> None:
        """Keep a remark about the run, once."""
        if all(record["message"] != message for record in self.of_kind("note")):
            self.add({"kind": "note", "message": message})
