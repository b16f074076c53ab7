"""One or two stores of a lone warp right behind each other and a load behind: when its data are back.

Each of 1 to 32 lines, whose words lie in few banks; L1 holds all of them.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import lanes_apart
from .delayed import AREA, LINES, ROW, Access, load_behind, load_of
from .operations import GLOBAL

_SECOND = 56  # the address of what is stored second
# label -> operation, where its lanes' words lie
STORES = {
    "STG.32 of 1 line": ("STG.32", ROW),
    "STG.64 of 2 lines": ("STG.64", lanes_apart(8)),
    "STG.32 of 8 lines": ("STG.32", lanes_apart(32)),
    "STG.32 of 16 lines": ("STG.32", lanes_apart(64)),
    "STG.32 of 32 lines": ("STG.32", LINES),
}
PROBES = {
    "LDG.32": ROW,
    "LDG.32 of 8 lines": lanes_apart(32),
    "LDG.32 of 16 lines": lanes_apart(64),
    "LDG.32 of 32 lines": LINES,
}
NOTHING = "nothing"


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for probe, placed in PROBES.items():
        load = load_of("LDG.32", placed)
        yield load_behind(f"doubled/{NOTHING}, {probe}", Access((), LINES), load, 0)
        for first in STORES:
            yield load_behind(f"doubled/{first}, {probe}", _stores(first), load, 0)
            for second in STORES:
                yield load_behind(f"doubled/{first}, {second}, {probe}", _stores(first, second), load, 0)


def _stores(*labels: str) -> Access:
    """A store, or two."""
    stores: list[Instruction] = []
    placed: list[Instruction] = []
    for number, label in enumerate(labels):
        operation, lanes = STORES[label]
        stores.append(op(operation, 4, _SECOND if number else GLOBAL, AREA * number, 40, read=0, stall=2))
        copied = [op("MOV", _SECOND + i, GLOBAL + i, stall=SAFE) for i in range(2)] if number else []
        placed = [*lanes, *copied, *placed]
    return Access(tuple(stores), placed)
