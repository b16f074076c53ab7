"""The operations of straight code, and the conditions of branches; the data is ``operations.csv``."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

VARIABLE_KINDS = "ufdha"
NOTHING, CONDITION = "-", "p"
LITERALS = {
    "S": (1, 2, 4, 8, 16, 32, 33),
    "K": (1, 2, 5, 32, 64, 97, 1024),
    "L": (1, 2, 4, 8, 16),
    "B": tuple(range(1, 31)),
    "M": (1, 3, 7, 2, 6),
}
# Whether lanes may have parted, or all threads of a block are together.
LEVELS = ("lane", "block")


@dataclass(frozen=True)
class Operation:
    """A row of the table; the columns are described at its head."""

    name: str
    group: str
    result: str
    sources: tuple[str, ...]
    level: str
    needs: str
    latency: int
    sm_cycles: int
    expression: str

    def stands_at(self, level: str) -> bool:
        """Whether it may stand where control flow is at ``level``."""
        return self.level == "lane" or level == "block"


@cache
def operations() -> dict[str, Operation]:
    """All rows, by name."""
    lines = Path(__file__).with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {
        row["name"]: Operation(
            name=row["name"],
            group=row["group"],
            result=row["result"],
            sources=tuple(row["sources"].split()),
            level=row["level"],
            needs=row["needs"],
            latency=int(row["latency"]),
            sm_cycles=int(row["sm_cycles"]),
            expression=row["expression"],
        )
        for row in rows
    }


@cache
def group(name: str) -> tuple[Operation, ...]:
    """The operations of a group, in the table's order."""
    return tuple(operation for operation in operations().values() if operation.group == name)


@cache
def simplest(result: str) -> Operation:
    """The first operation that writes variables of that kind and reads no others."""
    return next(row for row in operations().values() if row.result == result and set(row.sources) == {result})
