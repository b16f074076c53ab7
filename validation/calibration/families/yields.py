"""Which warp of an SMSP goes on behind a yield or a wait: rows in groups that end with one.

Every group has a clock in its last instruction, so that the clocks of all warps, sorted, are the order of the groups.
The rows of ``every``, ``up to`` and ``one of`` keep a pipe of two cycles busy, those of ``free`` and ``waits`` do not.
"""

import random
from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, clock, smsp_warps
from ..sass import Instruction, op

_A, _B, _RESULT, _FIRST = 8, 9, 10, 18
VALUE = 0x3C003C00
# Groups of a row and the warps that run it: more clocks have no room in the registers of more warps.
ROWS = ((60, (2, 4)), (44, (8,)))
EVERY = (*range(1, 13), 16, 20)
LONGEST = (12, 20)
FREE = (2, 3, 4, 5, 6, 8, 10, 12, 16, 32)
WAITS = (4, 8, 16, 32)
SEEDS = 2
BEFORE = 10  # groups of LONG before the one of another length
LONG = 12
OTHERS = (2, 4, 5, 6, 7, 8, 10)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for groups, warps in ROWS:
        for length in EVERY:
            yield _row(f"every {length}, {groups}", [length] * groups, warps)
        for longest in LONGEST:
            for seed in range(SEEDS):
                draw = random.Random(1000 * longest + seed)
                lengths = [draw.randint(1, longest) for _ in range(groups)]
                yield _row(f"up to {longest}, {seed}, {groups}", lengths, warps)
        for other in OTHERS:
            lengths = [LONG] * BEFORE + [other] + [LONG] * (groups - BEFORE - 1)
            yield _row(f"one of {other}, {groups}", lengths, warps)
        for length in FREE:
            yield _free(length, groups, warps)
        for length in WAITS:
            yield _waits(length, groups, warps)


def _row(name: str, lengths: Sequence[int], warps: Sequence[int]) -> Experiment:
    region: list[Instruction] = []
    for i, length in enumerate(lengths):
        region += [op("IADD3", _RESULT + j % 8, _A, _B, _A, stall=2) for j in range(length - 1)]
        region.append(clock(_FIRST + i, stall=2, yield_=True))
    return _experiment(name, region, _values(_A), len(lengths), warps)


def _free(length: int, groups: int, warps: Sequence[int]) -> Experiment:
    region: list[Instruction] = []
    for i in range(groups):
        region += [_ffma(j) for j in range(length - 1)]
        region.append(clock(_FIRST + i, yield_=True))
    return _experiment(f"free {length}, {groups}", region, _values(_A), groups, warps)


def _waits(length: int, groups: int, warps: Sequence[int]) -> Experiment:
    """Each group ends with the wait for a load from shared memory, without a yield."""
    region: list[Instruction] = []
    for i in range(groups):
        region += [_ffma(j) for j in range(length - 2)]
        region.append(op("LDS.32", _RESULT, _A, 0, write=0))
        region += [clock(_FIRST + i, stall=2), _ffma(0, wait=1)]
    values = [op("MOV.IMM", _A, 0, stall=SAFE), *_values(_B)]
    return _experiment(f"waits {length}, {groups}", region, values, groups, warps)


def _values(first: int) -> list[Instruction]:
    """Set the registers from ``first`` on, up to those of the clocks."""
    return [op("MOV.IMM", r, VALUE, stall=SAFE) for r in range(first, _FIRST)]


def _ffma(i: int, **control: int) -> Instruction:
    return op("FFMA", _RESULT + i % 8, _A, _B, _A, **control)


def _experiment(
    name: str, region: Sequence[Instruction], values: Sequence[Instruction], groups: int, warps: Sequence[int]
) -> Experiment:
    return Experiment(
        f"yields/{name}",
        [*region, op("NOP", stall=SAFE, wait=0x3F)],
        range(_FIRST, _FIRST + groups),
        values,
        tuple(smsp_warps(n) for n in warps),
        registers=_FIRST + groups + 2,
        sync=True,
        kind="timeline",
    )
