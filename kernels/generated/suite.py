"""The generated kernels whose launches are measured: ``suite.csv`` has a line for each.

A line gives the name, the profile, the seed and the launches ("1x128 1x512": one block of 128 threads, then of 512).
The measurements belong to exactly these programs: ``suite.sha256`` tells when the grammar would draw others.
"""

import csv
import hashlib
from functools import cache
from pathlib import Path

from kernels.generated.program import Shape
from kernels.generated.seeds import Seed
from kernels.kernel import Kernel

SHA256_FILE = Path(__file__).with_suffix(".sha256")


@cache
def entries() -> dict[str, Seed]:
    """The suite, by name."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["name"]: Seed(row["name"], row["profile"], int(row["seed"]), _shapes(row["launches"])) for row in rows}


def _shapes(text: str) -> tuple[Shape, ...]:
    return tuple(Shape(*map(int, launch.split("x"))) for launch in text.split())


def names() -> tuple[str, ...]:
    """The names of all generated kernels of the suite."""
    return tuple(entries())


@cache
def get(name: str) -> Kernel:
    """The generated kernel of that name; KeyError when the suite has none."""
    return entries()[name].kernel()


def suite_sha256() -> str:
    """Digest of the sources, launches and trip counts of the whole suite, in order."""
    digest = hashlib.sha256()
    for name, entry in entries().items():
        launches = " ".join(shape.name for shape in entry.shapes)
        digest.update(f"{name} {launches} {entry.program().trips}\n{get(name).code}\n".encode())
    return digest.hexdigest()
