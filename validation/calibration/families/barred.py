"""Block barriers that count votes, that have a number of their own, or wait for as many warps as a register says.

`barred/rounds`: one behind the other, by 1 to 32 warps. `barred/roles`: half of the warps arrive at one and wait at
the other, half the other way round. `barred/fenced`: what a barrier of all or of half of the warps holds back.
"""

from collections.abc import Iterator

from ..program import NTID, SAFE, Experiment, clock, first_warps
from ..sass import RZ, Instruction, op
from .mio import EIGHT_WAY, prepare

ROUNDS = 8
_CLOCK = 8
_COUNT, _HALF = 44, 45  # registers: threads of the block, half of them
_ODD = 1  # predicate: warps with an odd number
_RESULT = 24


def _voted(name: str, read: Instruction) -> list[Instruction]:
    return [op(name, stall=8), read.having(write=0, stall=2), op("NOP", wait=1, stall=2)]


BARRIERS: dict[str, list[Instruction]] = {
    "BAR.SYNC": [op("BAR.SYNC", stall=6)],
    "BAR.SYNC 1": [op("BAR.SYNC.1", stall=6)],
    "BAR.SYNC 1, R": [op("BAR.SYNC.1.R", _COUNT, stall=6)],
    "BAR.RED.POPC, B2R": _voted("BAR.RED", op("B2R", _RESULT)),
    "BAR.RED.OR, B2R": _voted("BAR.RED.OR", op("B2R.P", RZ, 2)),
    "BAR.RED.AND, B2R": _voted("BAR.RED.AND", op("B2R.P", RZ, 2)),
}
# Whose results nobody waits for before the next barrier.
_UNAWAITED: dict[str, list[Instruction]] = {
    "BAR.RED.POPC, B2R, going on": [op("BAR.RED", stall=8), op("B2R", _RESULT, write=0, stall=2)],
    "BAR.RED.OR, B2R, going on": [op("BAR.RED.OR", stall=8), op("B2R.P", RZ, 2, write=0, stall=2)],
}
_OF_EIGHT = {"BAR.SYNC 1, 256": [op("BAR.SYNC.1.256", stall=6)]}
_OF_HALVES = [
    op("BAR.SYNC.1.R", _HALF, guard=_ODD, stall=6),
    op("BAR.SYNC.2.R", _HALF, guard=~_ODD, stall=6),
]
_TAKING_TURNS = [
    op("BAR.SYNC.1.R", _COUNT, guard=_ODD, stall=6),
    op("BAR.ARV.1.R", _COUNT, guard=~_ODD, stall=6),
    op("BAR.ARV.2.R", _COUNT, guard=_ODD, stall=6),
    op("BAR.SYNC.2.R", _COUNT, guard=~_ODD, stall=6),
]


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, barrier in {**BARRIERS, **_UNAWAITED}.items():
        yield _rounds(f"rounds/{name}", barrier, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32))
    for name, barrier in _OF_EIGHT.items():
        yield _rounds(f"rounds/{name}", barrier, (8,))
    yield _rounds("roles/SYNC, ARV", _TAKING_TURNS, (2, 4, 8, 16, 32))
    yield _rounds("rounds/halves", _OF_HALVES, (2, 4, 8, 16, 32))
    store, load = op("STS.32", EIGHT_WAY, 0, 40, stall=2), op("LDS.32", _RESULT, 50, write=0, stall=2)
    for name, barrier in {**BARRIERS, "halves": _OF_HALVES}.items():
        piece = [store, *barrier, load, op("NOP", wait=1, stall=2)]
        yield _rounds(f"fenced/{name}", piece, (2, 4, 8, 16))
        piece = [store.having(guard=_ODD), *barrier, load, op("NOP", wait=1, stall=2)]
        yield _rounds(f"fenced/{name}, odd ones store", piece, (2, 4, 8, 16))


def _rounds(name: str, piece: list[Instruction], warps: tuple[int, ...]) -> Experiment:
    """The piece over and over, a clock before each, which the branch holds back as long as the barrier does."""
    region: list[Instruction] = [clock(_CLOCK, stall=2)]
    for i in range(1, ROUNDS + 1):
        region += [*piece, op("BRA", f"on{i}", stall=5), clock(_CLOCK + i, stall=2, label=f"on{i}")]
    return Experiment(
        f"barred/{name}",
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(_CLOCK, _CLOCK + ROUNDS + 1),
        [
            *prepare(),
            op("LDC", _COUNT, NTID, write=0, stall=2),
            op("SHF.R.IMM", _HALF, RZ, 1, _COUNT, wait=1, stall=SAFE),
            op("LOP3.P", _ODD, RZ, 0, 32, RZ, stall=SAFE),
        ],
        first_warps(warps, shared=16384),
        registers=64,
        barriers=3,
        iterations=3,
        sync=True,
        kind="timeline",
    )
