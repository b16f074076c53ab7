"""The recordings as tables for people: `smsim calibrate --show FAMILY`."""

from collections.abc import Iterable, Iterator
from typing import Any

from .analyse import Recording, Value, elapsed, fixed_latencies, issue_intervals

Lines = Iterator[str]


def show(family: str, recording: Recording) -> Lines:
    """Yield the lines of a family's report: latencies as a matrix, rows as rates, the rest one line a program."""
    yield f"{family}: {recording['gpu']}, driver {recording['driver']}, {recording['date']}"
    for name, reason in recording["failed"].items():
        yield f"failed: {name}: {reason[-1]}"
    programs = recording["programs"]
    if any(program["kind"] == "words" for program in programs.values()):
        yield from _matrix(recording)
    rates = list(issue_intervals(recording))
    if rates:
        yield "cycles per instruction and SMSP (4xW: W warps on each of four SMSPs)"
        yield from _by_launch(rates)
    rows = {value.name for value in rates}
    lone = {name for name in programs if name.rpartition("/")[0] not in rows}
    values = [value for value in elapsed(recording) if value.name in lone]
    if values:
        yield "elapsed cycles"
        yield from _by_launch(values)
    for name, program in programs.items():
        if program["kind"] not in ("words", "elapsed"):
            yield from _rows(name, program["launches"])


def _matrix(recording: Recording) -> Lines:
    """Writers as rows, readers as columns; `-` where the reader never saw the new value, `?` where it was not tried."""
    found = fixed_latencies(recording)
    readers = list(dict.fromkeys(reader for _, reader in found))
    yield "least issue distance, writer (row) to reader (column)"
    for start in range(0, len(readers), 12):
        some = readers[start : start + 12]
        yield f"{'':14}" + "".join(f"{reader:>12}" for reader in some)
        for writer in dict.fromkeys(writer for writer, _ in found):
            cells = [found.get((writer, reader), "?") for reader in some]
            if any(cell != "?" for cell in cells):
                yield f"{writer:14}" + "".join(f"{'-' if cell is None else cell:>12}" for cell in cells)


def _by_launch(values: Iterable[Value]) -> Lines:
    table: dict[str, dict[str, Value]] = {}
    for value in values:
        table.setdefault(value.name, {})[value.launch] = value
    for name, launches in table.items():
        yield f"{name:44}" + "".join(f"  {launch}: {value}" for launch, value in launches.items())


def _rows(name: str, launches: dict[str, list[Any]]) -> Lines:
    """Each launch's rows of clocks or figures, of one repeat where there are several."""
    for launch, repeats in launches.items():
        yield f"{name}, launch {launch}"
        for row in repeats[0] if _depth(repeats) > 2 else repeats:
            yield "    " + " ".join(str(item) for item in (row if isinstance(row, list) else [row]))


def _depth(rows: Any) -> int:
    return 1 + _depth(rows[0]) if isinstance(rows, list) and rows else 0
