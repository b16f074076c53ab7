"""What recordings say of themselves: times, rates and latencies, each with its spread and its experiment's name."""

from collections.abc import Iterator, Mapping, Sequence
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


def least_distance(program: Mapping[str, Any]) -> int | None:
    """Return the least issue distance from which on the reader sees the new value.

    None where the longest distance still shows the old value, in any repeat.
    """
    distances: list[int] = program["meta"]["distances"]
    last_old = max(row.rindex("o") for seen in program["launches"].values() for row in seen)
    return distances[last_old + 1] if last_old + 1 < len(distances) else None


def fixed_latencies(recording: Recording) -> dict[tuple[str, str], int | None]:
    """Return (writer, reader) -> :func:`least_distance`."""
    found: dict[tuple[str, str], int | None] = {}
    for name, program in recording["programs"].items():
        if program["kind"] == "words":
            _, writer, reader = name.split("/", 2)
            found[writer, reader] = least_distance(program)
    return found


def slopes(long: Sequence[float], short: Sequence[float], instructions: int) -> list[float]:
    """Return what each instruction by which one row is longer than the other adds, ascending, one per repeat."""
    pairs = zip(sorted(long), sorted(short), strict=True)
    return sorted((more - less) / instructions for more, less in pairs)


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
            each = slopes(lengths[long][launch], lengths[short][launch], instructions)
            yield Value(name, launch, median(each), each[0], each[-1])


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
