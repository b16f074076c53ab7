"""Draws programs by seed, lays both sides together, and shrinks what differs."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isa.errors import SmsimError
from isa.files import write_whole
from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.program import Program, Shape
from kernels.generated.reductions import reductions
from kernels.generated.tree import to_plain
from validation.differential.sides import Sides

Lay = Callable[[Program], Sides]


@dataclass(frozen=True)
class Found:
    """A program whose two sides differ, as it was drawn and as small as it could be made.

    Attributes:
        profile, seed: what it was drawn from.
        drawn: both sides of the program as it was drawn.
        program, smallest: the smallest program that still differs, and its sides.
        tried: how many smaller programs were tried.
    """

    profile: str
    seed: int
    drawn: Sides
    program: Program
    smallest: Sides
    tried: int

    def to_plain(self) -> dict[str, Any]:
        """For a JSON file; the program can be read back."""
        return {
            "profile": self.profile,
            "seed": self.seed,
            "error_drawn": self.drawn.error,
            "error": self.smallest.error,
            "predicted": self.smallest.predicted,
            "measured": self.smallest.measured,
            "wrong": self.smallest.wrong,
            "tried": self.tried,
            "program": to_plain(self.program),
        }


@dataclass(frozen=True)
class Task:
    """A seed to try.

    Attributes:
        profile, seed, shape, largest: what is drawn, see :func:`kernels.generated.draw.draw_program`.
        tolerance: relative difference of the cycles from which on both sides differ.
        deadline: seconds since the epoch after which nothing new is tried.
    """

    profile: str
    seed: int
    shape: Shape
    largest: int
    tolerance: float
    deadline: float

    @property
    def name(self) -> str:
        """As its found program would be filed."""
        return f"{self.profile}_{self.seed}"


@dataclass(frozen=True)
class Tried:
    """A seed that was tried: the relative error of its cycles, and what was found if its sides differ.

    ``error`` is None when the deadline had passed.
    """

    name: str
    error: float | None
    found: Found | None = None


def try_seed(lay: Lay, task: Task) -> Tried:
    """Lay both sides of what the seed draws together, and shrink it when they differ.

    Raises:
        SmsimError: the simulator cannot run it.
    """
    if time.time() > task.deadline:
        return Tried(task.name, None)
    program = draw_program(SeededChoices(task.seed), task.profile, (task.shape,), task.largest)
    sides = lay(program)
    if not sides.differ(task.tolerance):
        return Tried(task.name, sides.error)
    smaller, tried = shrink(lay, program, sides, task.tolerance, task.deadline)
    return Tried(task.name, sides.error, Found(task.profile, task.seed, sides, *smaller, tried))


def shrink(
    lay: Lay, program: Program, sides: Sides, tolerance: float, deadline: float
) -> tuple[tuple[Program, Sides], int]:
    """The smallest program that differs the same way, reached by reductions; its sides, and how many were tried."""
    tried = 0
    found = True
    while found:
        found = False
        for smaller in reductions(program):
            if time.time() > deadline:
                break
            tried += 1
            try:
                other = lay(smaller)
            except SmsimError:
                continue
            if other.differ(tolerance) and (other.error > 0) == (sides.error > 0):
                program, sides, found = smaller, other, True
                break
    return (program, sides), tried


def keep(found: Found, folder: Path) -> Path:
    """Write a found program as ``<folder>/<profile>_<seed>.json``; returns the path."""
    path = folder / f"{found.profile}_{found.seed}.json"
    write_whole(path, (json.dumps(found.to_plain()) + "\n").encode())
    return path
