"""The generated kernels whose launches are measured: ``suite.csv`` has a line for each.

A line gives the name, the profile, the seed and the launches ("1x128 1x512": one block of 128 threads, then of 512).
"""

import csv
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kernels.generated.choices import SeededChoices
from kernels.generated.draw import draw_program
from kernels.generated.launches import make_kernel
from kernels.generated.program import Program, Shape
from kernels.kernel import Kernel


@dataclass(frozen=True)
class Entry:
    """A line of the suite."""

    name: str
    profile: str
    seed: int
    shapes: tuple[Shape, ...]

    def program(self) -> Program:
        """What the seed draws."""
        return draw_program(SeededChoices(self.seed), self.profile, self.shapes)


@cache
def entries() -> dict[str, Entry]:
    """The suite, by name."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["name"]: Entry(row["name"], row["profile"], int(row["seed"]), _shapes(row["launches"])) for row in rows}


def _shapes(text: str) -> tuple[Shape, ...]:
    return tuple(Shape(*map(int, launch.split("x"))) for launch in text.split())


def names() -> tuple[str, ...]:
    """The names of all generated kernels of the suite."""
    return tuple(entries())


@cache
def get(name: str) -> Kernel:
    """The generated kernel of that name; KeyError when the suite has none."""
    entry = entries()[name]
    return make_kernel(
        entry.program(),
        name,
        family=f"random_{entry.profile}",
        description=f"random program of the profile {entry.profile}, seed {entry.seed}",
    )


def sources_sha256() -> str:
    """Digest of the sources and launches of the whole suite, in order."""
    digest = hashlib.sha256()
    for name in names():
        kernel = get(name)
        launches = [(launch.name, launch.arguments()[6:]) for launch in kernel.launches]
        digest.update(f"{name}\n{kernel.code}\n{launches}\n".encode())
    return digest.hexdigest()
