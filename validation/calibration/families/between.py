"""Stores that would complete each other's sectors, with reductions, atomics or loads between that L2 has to do."""

from collections.abc import Iterator

from ..program import Experiment
from ..sass import Instruction, op
from .burst import APART, burst, lanes_apart
from .operations import GLOBAL

AREA = 24 * APART  # where the accesses between are, behind the stores
WORDS = {8: 2, 16: 4, 32: 8}  # bytes a lane, and the words that it stores of them


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stride, count in WORDS.items():
        stores = [op("STG.32", 4, GLOBAL, 4 * i, 40, stall=2) for i in range(count)]
        for name in ("REDG.ADD", "ATOMG.ADD", "LDG.32.GPU"):
            others = [_access(name, i) for i in range(count)]
            label = f"{count} STG.32 side by side, {stride} bytes a lane, {name}"
            between = [access for pair in zip(stores, others, strict=True) for access in pair]
            yield burst(f"between/{label} behind each", between, lanes_apart(stride), fence=True)
            yield burst(f"between/{label} behind all", stores + others, lanes_apart(stride), fence=True)


def _access(name: str, i: int) -> Instruction:
    if name == "REDG.ADD":
        return op(name, 4, GLOBAL, AREA + 4 * APART * i, 40, stall=2)
    sources = (40,) if name == "ATOMG.ADD" else ()
    return op(name, 24 + i, 4, GLOBAL, AREA + 4 * APART * i, *sources, write=0, stall=2)
