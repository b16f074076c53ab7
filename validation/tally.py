"""Counting."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """How many of so many."""

    count: int
    of: int

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"
