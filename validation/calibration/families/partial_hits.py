"""Rows of loads of which some lanes find their words in L1, by width, with accesses to shared memory between.

All lanes of a warp load what L1 has once and then, in those of its lanes that are told to, new words each time.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, block_barrier, clock, sm_warps
from ..sass import RZ, Instruction, op
from .burst import EMPTY_L1, from_on, lanes_apart
from .operations import GLOBAL

START, DONE = 8, 9
LOADS = 12
AREA = 1 << 16  # bytes between what two loads of a warp find new
LANE, PLACE, FIRST_PAIR = 56, 57, 24  # registers: the lane, its shared address, the loads' addresses
_NEW = 1  # predicate: the lane's words are new
# label -> operation, bytes between lanes
ACCESSES = {
    "LDG.32": ("LDG.32", 4),
    "LDG.64": ("LDG.64", 8),
    "LDG.128": ("LDG.128", 16),
    "LDG.32 of 8 lines": ("LDG.32", 32),
    "LDG.64 of 8 lines": ("LDG.64", 32),
    "LDG.128 of 8 lines": ("LDG.128", 32),
    "LDG.32 of 16 lines": ("LDG.32", 64),
}
# label -> the lanes whose words are new: from one on, or where a bit of the lane's number is set
FROM = {
    "no lane new": 32,
    "lanes from 24 on new": 24,
    "lanes from 16 on new": 16,
    "lanes from 4 on new": 4,
    "all new": 0,
}
BITS = {"odd lanes new": 1, "every other quarter new": 8}
# label -> operation, so many behind every load, or behind every so-manieth
BETWEEN = {
    "": ("", 0, 1),
    "STS.32 behind two": ("STS.32", 1, 2),
    "STS.32": ("STS.32", 1, 1),
    "2 STS.32": ("STS.32", 2, 1),
    "LDS.32": ("LDS.32", 1, 1),
    "2 LDS.32": ("LDS.32", 2, 1),
}
LAUNCHES = (sm_warps(2, shared=16384), sm_warps(8, shared=16384))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for access in ACCESSES:
        for lanes in (*FROM, *BITS):
            for between in BETWEEN:
                yield _row(access, lanes, between)


def _row(access: str, lanes: str, between: str) -> Experiment:
    name, stride = ACCESSES[access]
    loads = [op(name, 16, 4, FIRST_PAIR + 2 * i, 0, write=0, stall=2) for i in range(LOADS)]
    region = [
        *EMPTY_L1,
        op(name, 16, 4, GLOBAL, 0, write=0, stall=2),
        op("NOP", wait=0x3F, stall=SAFE),
        *block_barrier("begin"),
        clock(START, stall=4),
        *[one for i, load in enumerate(loads) for one in (load, *_shared(between, i))],
        clock(DONE, stall=4, wait=3),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"partial_hits/{access}, {lanes}{', ' if between else ''}{between}",
        region,
        [START, DONE],
        [*lanes_apart(stride, 0, 0, 32 * stride), *_addresses(lanes)],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
    )


def _addresses(lanes: str) -> Iterator[Instruction]:
    """Instructions that set the lanes' addresses, a register pair for each load, and their place in shared memory."""
    yield op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE)
    yield op("IMAD.IMM", PLACE, LANE, 4, RZ, stall=SAFE)
    if lanes in FROM:
        yield from from_on(_NEW, FROM[lanes], LANE, 54)
    else:
        yield op("LOP3.IMM", 54, LANE, BITS[lanes], RZ, stall=SAFE)
        yield op("ISETP", _NEW, 54, RZ, stall=SAFE)
    for i in range(LOADS):
        low = FIRST_PAIR + 2 * i
        yield op("MOV.IMM", 54, 0, stall=SAFE)
        yield op("MOV.IMM", 54, AREA * (1 + i), guard=_NEW, stall=SAFE)
        yield op("IMAD.WIDE.U32.IMM", low, 54, 1, GLOBAL, stall=SAFE)


def _shared(between: str, load: int) -> list[Instruction]:
    name, count, every = BETWEEN[between]
    if count == 0 or load % every != every - 1:
        return []
    if name == "LDS.32":
        return [op(name, 52, PLACE, write=1, stall=2)] * count
    return [op(name, PLACE, 0, 48, read=1, stall=2)] * count
