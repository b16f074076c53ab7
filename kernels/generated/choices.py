"""Where a program's choices come from."""

import random
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    """A source of choices. What comes first (the lowest number, the first option) is the simplest."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""

    def choice(self, options: Sequence[T]) -> T:
        """One of ``options``."""


class SeededChoices:
    """Choices from a seed; the same on every version of Python, for they use getrandbits alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, all equally likely; ValueError when there is none."""
        count = high - low + 1
        if count < 1:
            raise ValueError(f"an empty range: {low} to {high}")
        while (drawn := self._random.getrandbits(count.bit_length())) >= count:
            pass
        return low + drawn

    def choice(self, options: Sequence[T]) -> T:
        """One of ``options``, all equally likely."""
        return options[self.integer(0, len(options) - 1)]


def weighted(choices: Choices, weights: Mapping[T, int]) -> T:
    """One of the keys, as likely as its weight."""
    left = choices.integer(1, sum(weights.values()))
    for option, weight in weights.items():
        left -= weight
        if left <= 0:
            return option
    raise ValueError("weights must be positive")


def spread(choices: Choices, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``, all magnitudes equally likely."""
    octave = choices.integer(low.bit_length(), high.bit_length())
    return choices.integer(max(low, 1 << octave - 1), min(high, (1 << octave) - 1))
