"""Single loads of which L1 lacks some lines: when each is back, beside loads of a word of each line alone.

`lacking/alone, *`: one lane's word of 32 lines in turn, L1 empty. `lacking/LDG.*`: L1 holds what some lanes load; the
last lanes, or every so-manieth, load what it lacks. Two records for each load: its issue and its end.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import APART, EMPTY_L1_ALONE, from_on, lanes_apart
from .operations import GLOBAL

PLACES = 4  # at which each load is made
PLACE_BYTES = 4 * APART
MISSING = (1, 2, 4, 8, 16, 32)  # lanes
# label -> operation, log2 of the lanes in a group, bytes between groups, bytes between the lanes of a group
PATTERNS = {
    "LDG.32 of 32 lines": ("LDG.32", 0, 128, 0),
    "LDG.32 132 bytes apart": ("LDG.32", 0, 132, 0),
    "LDG.32 of 8 lines": ("LDG.32", 2, 128, 4),
    "LDG.32 of 32 sectors": ("LDG.32", 0, 32, 0),
    "LDG.64 of 32 lines": ("LDG.64", 0, 128, 0),
    "LDG.64 136 bytes apart": ("LDG.64", 0, 136, 0),
    "LDG.128 of 32 lines": ("LDG.128", 0, 128, 0),
    "LDG.128 144 bytes apart": ("LDG.128", 0, 144, 0),
    "LDG.128 256 bytes apart": ("LDG.128", 0, 256, 0),
    "LDG.128 of 4 lines": ("LDG.128", 0, 16, 0),
}
LINES = 32  # that a program loads alone
_PAUSE = 20
_FIRST, _LANE, _CHOSEN = 64, 53, 1
_LAUNCHES = (smsp_warps(1), sm_warps(1))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for place in range(PLACES):
        for first in (0, LINES):
            yield _alone(place, first)
    for label, (operation, group, stride, inner) in PATTERNS.items():
        prepare = lanes_apart(stride, group, inner)
        yield _partly(f"{label}, last lanes", operation, prepare, spread=False)
        yield _partly(f"{label}, spread lanes", operation, prepare, spread=True)


def _alone(place: int, first: int) -> Experiment:
    region: list[Instruction] = []
    for i in range(LINES):
        load = op("LDG.32", 24, 4, GLOBAL, place * PLACE_BYTES + 128 * (first + i), write=0, stall=2)
        region += _timed(load, [], f"{i}", _FIRST + 2 * i)
    return _experiment(f"alone, lines from {first}, place {place}", region, 2 * LINES, lanes_apart(0))


def _partly(name: str, operation: str, prepare: list[Instruction], *, spread: bool) -> Experiment:
    region: list[Instruction] = []
    record = _FIRST
    for place in range(PLACES):
        load = op(operation, 24, 4, GLOBAL, place * PLACE_BYTES, write=0, stall=2)
        for missing in MISSING:
            region += _timed(load, _hold(load, missing, spread), f"{place} {missing}", record)
            record += 2
    return _experiment(name, region, record - _FIRST, prepare)


def _hold(load: Instruction, missing: int, spread: bool) -> list[Instruction]:
    """The load by all lanes but so many."""
    if missing == LINES:
        return []
    if spread:
        choice = [
            op("LOP3.IMM", 54, _LANE, LINES // missing - 1, RZ, stall=SAFE),
            op("ISETP", _CHOSEN, 54, RZ, stall=SAFE),
        ]
    else:
        choice = from_on(_CHOSEN, LINES - missing, _LANE, 54)
    held = load.having(guard=_CHOSEN if spread else ~_CHOSEN, stall=SAFE)
    return [op("LOP3.IMM", _LANE, 0, 31, RZ, stall=SAFE), *choice, held]


def _timed(load: Instruction, hold: list[Instruction], label: str, record: int) -> list[Instruction]:
    return [
        *EMPTY_L1_ALONE,
        *hold,
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * _PAUSE,
        *block_barrier(f"at {label}"),
        clock(record, stall=4),
        load,
        clock(record + 1, stall=2, wait=1),
        op("NOP", stall=SAFE),
    ]


def _experiment(name: str, region: list[Instruction], records: int, prepare: list[Instruction]) -> Experiment:
    return Experiment(
        f"lacking/{name}",
        region,
        range(_FIRST, _FIRST + records),
        prepare,
        _LAUNCHES,
        registers=136,
        iterations=2,
        sync=True,
        kind="timeline",
    )
