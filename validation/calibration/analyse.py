"""From recordings to machine values: each with its spread and the name of the experiment that it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

Recording = dict[str, Any]


@dataclass(frozen=True)
class Value:
    """A measured value: the median over the repeats, and the least and the greatest of them."""

    name: str
    launch: str
    median: float
    low: float
    high: float

    def __str__(self) -> str:
        spread = "" if self.low == self.high else f" ({self.low:g}..{self.high:g})"
        return f"{self.median:g}{spread}"


def fixed_latencies(recording: Recording) -> dict[tuple[str, str], int | None]:
    """Return (writer, reader) -> the least issue distance from which on the reader sees the new value.

    None where the longest distance still shows the old value, in any repeat.
    """
    found: dict[tuple[str, str], int | None] = {}
    for name, program in recording["programs"].items():
        if program["kind"] == "words":
            _, writer, reader = name.split("/", 2)
            distances = program["meta"]["distances"]
            for seen in program["launches"].values():
                last_old = max(row.rindex("o") for row in seen)
                found[writer, reader] = distances[last_old + 1] if last_old + 1 < len(distances) else None
    return found


def issue_intervals(recording: Recording) -> Iterator[Value]:
    """Yield cycles per instruction and SMSP of each row, from the difference of its long and its short form.

    With W warps on an SMSP each runs the row, so the difference is divided by W as well.
    """
    rows: dict[str, dict[int, dict[str, list[int]]]] = {}
    for name, program in recording["programs"].items():
        row, _, count = name.rpartition("/")
        if program["kind"] == "elapsed" and program["meta"].get("count") == int(count if count.isdigit() else -1):
            rows.setdefault(row, {})[program["meta"]["count"]] = program["launches"]
    for name, lengths in rows.items():
        if len(lengths) < 2:
            continue
        short, long = min(lengths), max(lengths)
        for launch in lengths[long]:
            instructions = (long - short) * warps_per_smsp(launch)
            pairs = zip(sorted(lengths[long][launch]), sorted(lengths[short][launch]), strict=True)
            slopes = sorted((b - a) / instructions for b, a in pairs)
            yield Value(name, launch, median(slopes), slopes[0], slopes[-1])


def warps_per_smsp(launch: str) -> int:
    """Return the W of a launch labelled "W" (on one SMSP) or "4xW"."""
    return int(launch.removeprefix("4x"))


def elapsed(recording: Recording) -> Iterator[Value]:
    """Yield the cycles from the first clock read to the last, less the known lead, of programs with two clock reads."""
    for name, program in recording["programs"].items():
        if program["kind"] == "elapsed":
            for launch, cycles in program["launches"].items():
                lead = program["meta"].get("lead", 0)
                yield Value(name, launch, median(cycles) - lead, min(cycles) - lead, max(cycles) - lead)
