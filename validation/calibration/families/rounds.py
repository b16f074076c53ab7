"""Rounds of many warps: stores, a block barrier, loads and their results, with a clock read behind each step."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, clock, first_warps
from ..sass import RZ, Instruction, op
from .mio import DOUBLES, EIGHT_WAY, KINDS, QUADS, prepare
from .operations import OPERATIONS
from .probes import LAST, Probe, probes

_CLOCK = 64
_WARPS = (4, 5, 8, 13, 16)
_BAR = [op("BAR.SYNC", stall=6)]
_PAUSE = [op("NOP", stall=SAFE), op("NOP", stall=SAFE)]  # as long as a barrier
_EIGHT = op("STS.32", EIGHT_WAY, 0, 40, stall=2)
_FALSE = 3


def _atoms(target: int, address: int) -> Instruction:
    return op("ATOMS.ADD", target, address, 0, 40)


def _load(i: int, barrier: int, name: str, address: int, stall: int = 4) -> Instruction:
    return op(name, 16 + 4 * i, address, write=barrier, stall=stall)


ROUNDS: dict[str, list[list[Instruction]]] = {
    "STS.128, LDS.128 two": [
        [op("STS.128", QUADS, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.128", QUADS), _load(1, 1, "LDS.128", QUADS, 1)],
    ],
    "STS.128, LDS.128 three, two of one address": [
        [op("STS.128", QUADS, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.128", QUADS), _load(1, 1, "LDS.128", RZ), _load(2, 2, "LDS.128", RZ, 1)],
    ],
    "STS.128, LDS.128, STS.64, LDS.64 8-way": [
        [
            op("STS.128", QUADS, 0, 40, stall=2),
            _load(0, 0, "LDS.128", QUADS, 4),
            op("STS.64", DOUBLES, 0, 40, stall=2),
        ],
        _BAR,
        [_load(1, 1, "LDS.64", EIGHT_WAY), _load(2, 2, "LDS.64", DOUBLES, 1)],
    ],
    "ATOMS one word, LDS.64 two": [
        [_atoms(RZ, RZ).having(stall=2)],
        _BAR,
        [_load(0, 0, "LDS.64", RZ), _load(1, 1, "LDS.64", DOUBLES, 1)],
    ],
    "ATOMS 8-way, LDS.32 8-way": [
        [_atoms(RZ, EIGHT_WAY).having(stall=2)],
        _BAR,
        [_load(0, 0, "LDS.32", EIGHT_WAY, 2)],
    ],
    "LDS.32 8-way, ATOMS 8-way": [
        [_load(0, 0, "LDS.32", EIGHT_WAY, 4), _atoms(20, EIGHT_WAY).having(write=1, stall=2)],
    ],
    "LDS.32 three": [[_load(i, i, "LDS.32", 50, 2) for i in range(3)]],
    "LDS.32 8-way three": [[_load(i, i, "LDS.32", EIGHT_WAY, 2) for i in range(3)]],
    "LDS.64 three": [[_load(i, i, "LDS.64", DOUBLES, 2) for i in range(3)]],
    "SHFL.BFLY three": [[KINDS["SHFL.BFLY"](i).having(write=i, stall=2) for i in range(3)]],
    "SHFL.IDX three": [[KINDS["SHFL.IDX"](i).having(write=i, stall=2) for i in range(3)]],
    "SHFL.BFLY, LDS.32 8-way, SHFL.BFLY": [
        [
            KINDS["SHFL.BFLY"](0).having(write=0, stall=2),
            _load(1, 1, "LDS.32", EIGHT_WAY, 2),
            KINDS["SHFL.BFLY"](2).having(write=2, stall=2),
        ]
    ],
    "STS.32 8-way, LDS.32": [
        [op("STS.32", EIGHT_WAY, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.32", 50, 2)],
    ],
    "STS.32 8-way, ATOMS 8-way, LDS.32 8-way": [
        [op("STS.32", EIGHT_WAY, 0, 40, stall=4), _atoms(RZ, EIGHT_WAY).having(stall=2)],
        _BAR,
        [_load(0, 0, "LDS.32", EIGHT_WAY, 2)],
    ],
    "STS.64, LDS.64 8-way": [
        [op("STS.64", DOUBLES, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.64", EIGHT_WAY, 2)],
    ],
    "STS.64 8-way, LDS.64": [
        [op("STS.64", EIGHT_WAY, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.64", DOUBLES, 2)],
    ],
    "LDS.32 five": [[_load(i, i, "LDS.32", 50, 2) for i in range(5)]],
    "LDS.64 five": [[_load(i, i, "LDS.64", DOUBLES, 2) for i in range(5)]],
    "LDS.128 five": [[_load(i, i, "LDS.128", QUADS, 2) for i in range(5)]],
    "LDS.64 8-way three": [[_load(i, i, "LDS.64", EIGHT_WAY, 2) for i in range(3)]],
    "STS.32 8-way, no barrier, LDS.32": [[_EIGHT], _PAUSE, [_load(0, 0, "LDS.32", 50, 2)]],
    "ATOMS 8-way, no barrier, LDS.32 8-way": [
        [_atoms(RZ, EIGHT_WAY).having(stall=2)],
        _PAUSE,
        [_load(0, 0, "LDS.32", EIGHT_WAY, 2)],
    ],
    "STS.32 8-way far, LDS.32": [[op("STS.32", EIGHT_WAY, 8192, 40, stall=2)], _BAR, [_load(0, 0, "LDS.32", 50, 2)]],
    "STS.32 8-way, SHFL.BFLY": [[_EIGHT], _BAR, [KINDS["SHFL.BFLY"](0).having(write=0, stall=2)]],
    "STS.32 8-way, SHFL.IDX": [[_EIGHT], _BAR, [KINDS["SHFL.IDX"](0).having(write=0, stall=2)]],
    "STS.32 8-way, ATOMS 8-way": [[_EIGHT], _BAR, [_atoms(16, EIGHT_WAY).having(write=0, stall=2)]],
    "STS.64 8-way, LDS.32": [[op("STS.64", EIGHT_WAY, 0, 40, stall=2)], _BAR, [_load(0, 0, "LDS.32", 50, 2)]],
    "STS.128 8-way, LDS.32": [[op("STS.128", EIGHT_WAY, 0, 40, stall=2)], _BAR, [_load(0, 0, "LDS.32", 50, 2)]],
    "LDS.32 8-way, STS.32 8-way, LDS.32": [
        [_load(0, 0, "LDS.32", EIGHT_WAY, 2)],
        _BAR,
        [_EIGHT],
        _BAR,
        [_load(1, 1, "LDS.32", 50, 2)],
    ],
    "LDS.32 8-way, LDS.32": [[_load(0, 0, "LDS.32", EIGHT_WAY, 2)], _BAR, [_load(1, 1, "LDS.32", 50, 2)]],
    "STS.32 8-way, STS.32, LDS.32": [
        [_EIGHT],
        _BAR,
        [op("STS.32", 50, 0, 40, stall=2)],
        _BAR,
        [_load(0, 0, "LDS.32", 50, 2)],
    ],
}
_UNEXECUTED = (
    *("LDC", "LDC.R", "LDS.32", "LDS.128", "STS.32", "SHFL.BFLY", "SHFL.IDX", "ATOMS.ADD", "S2R.TID"),
    *("REDUX.SUM", "MATCH.ANY", "MUFU.RCP", "POPC", "F2I", "LDG.32", "STG.32", "LDL"),
)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, steps in ROUNDS.items():
        yield _round(name, steps)
    kinds = {**OPERATIONS, **KINDS}
    pieces: list[Probe] = []
    for name in _UNEXECUTED:
        barrier = "read" if name.startswith("ST") else "write"
        for count in (1, 3, 8):
            row = [kinds[name](i).having(stall=2, guard=_FALSE) for i in range(count)]
            pieces.append((f"{count} {name}", [*row[:-1], row[-1].having(**{barrier: LAST})]))
        pieces.append((f"1 {name}, LDS.32", [row[0], op("LDS.32", 24, 50, write=LAST, stall=2)]))
    false = op("ISETP", _FALSE, RZ, RZ, stall=SAFE)
    launches = first_warps((1, 4), "{} SMSPs", shared=16384)
    yield from probes("rounds/unexecuted", pieces, [*prepare(), false], launches)


def _round(name: str, steps: Sequence[Sequence[Instruction]]) -> Experiment:
    region: list[Instruction] = [clock(_CLOCK, stall=4)]
    count = 1
    for _ in range(4):
        for step in steps:
            region += [*step]
            if step is _BAR:
                region += [op("BRA", f"on{count}", stall=5), op("NOP", label=f"on{count}")]
            region += [clock(_CLOCK + count, stall=2)]
            count += 1
        for barrier in sorted({one.write for step in steps for one in step if one.write < LAST}):
            region += [clock(_CLOCK + count, wait=1 << barrier, stall=2)]
            count += 1
    region += [op("NOP", wait=0x3F, stall=SAFE)]
    launches = first_warps(_WARPS, shared=16384)
    return Experiment(
        f"rounds/{name}",
        region,
        range(_CLOCK, _CLOCK + count),
        prepare(),
        launches,
        registers=128,
        sync=True,
        kind="timeline",
    )
