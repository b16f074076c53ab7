"""From recordings to machine values: each with its spread and the name of the experiment that it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

Recording = dict[str, Any]
STALE, FIRST = 0, 1  # positions in the words of a latency program: the old value's result, distance 1


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

    None where a reader saw the new value only after the longest distance tried, or not the same in every repeat.
    """
    found: dict[tuple[str, str], int | None] = {}
    for name, program in recording["programs"].items():
        if program["kind"] != "words":
            continue
        _, writer, reader = name.split("/", 2)
        for words in program["launches"].values():
            found[writer, reader] = _first_fresh(words, program["meta"]["distances"])
    return found


def _first_fresh(words: list[Any], distances: list[int]) -> int | None:
    """Return the first distance after the last one at which the old value was read."""
    rows = words if isinstance(words[0], list) else [words]
    last_stale = max(i for row in rows for i, word in enumerate(row) if word == row[STALE])
    return distances[last_stale + 1] if last_stale + 1 < len(distances) - 1 else None


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
