"""Block barriers: which instructions a warp still issues behind one that others have not reached, and when all go on.

`barriers/behind`: warp 0 arrives some hundred cycles before warp 1; an instruction that the barrier holds comes that
much later. `barriers/release`: warps that arrive together, and what each does next. `barriers/after`: a barrier behind
accesses that are still on their way. `barriers/queued`: one behind instructions of the ADU.
"""

from collections.abc import Iterator
from itertools import product

from ..program import SAFE, Experiment, Launch, clock, first_warps
from ..sass import RZ, Instruction, op
from .mio import KINDS, NAMES, prepare
from .operations import OPERATIONS, setup
from .probes import Probe, probes, together
from .rare import RARE

REGISTERS = 128
_PER_PROGRAM = 16
BEHIND: dict[str, list[Instruction]] = {
    **{name: [OPERATIONS[name](0)] for name in NAMES["fixed"]},
    **{name: [RARE[name](0)] for name in NAMES["rare"]},
    **{name: [build(0)] for name, build in KINDS.items()},
    "BSSY": [op("BSSY", "on", stall=1), op("NOP", label="on")],
    "BRA not taken": [op("BRA", "on", guard=2, stall=1), op("NOP", label="on")],
    "BRA": [op("BRA", "on", stall=5), op("NOP", label="on")],
    "BAR.SYNC": [op("BAR.SYNC", stall=6)],
}
_NEXT = ("LDS.32", "SHFL.BFLY", "STS.32", "MUFU.RCP", "LDC", "FFMA")


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    names = list(BEHIND)
    for first in range(0, len(names), _PER_PROGRAM):
        yield _behind(names[first : first + _PER_PROGRAM])
    for name in _NEXT:
        yield _release(name)
    yield from _after()
    yield from _queued()


def _behind(names: list[str]) -> Experiment:
    region: list[Instruction] = []
    for i, name in enumerate(names):
        piece = [
            one.having(
                stall=max(one.stall, 2),
                label=one.label and f"on{i}",
                operands={key: f"on{i}" if value == "on" else value for key, value in one.operands.items()},
            )
            for one in BEHIND[name]
        ]
        late = [op("NOP", stall=SAFE) for _ in range(16)]
        region += [
            *together(f"probe{i}"),
            op("BRA", f"early{i}", guard=~1, stall=5),
            *late,
            op("NOP", stall=SAFE, label=f"early{i}"),
            clock(64 + 2 * i, stall=2),
            op("BAR.SYNC", stall=8),
            *piece,
            clock(65 + 2 * i, stall=SAFE),
            op("NOP", stall=SAFE),
        ]
    return Experiment(
        f"barriers/behind {names[0]} ...",
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(64, 64 + 2 * len(names)),
        [*prepare(), op("ISETP", 2, RZ, RZ, stall=SAFE)],
        (Launch("2", 64, 3, shared=16384),),
        registers=REGISTERS,
        kind="timeline",
        iterations=2,
        meta={"probes": names},
    )


def _release(name: str) -> Experiment:
    """What comes behind the barrier waits for its result, and a second barrier follows."""
    kind = KINDS.get(name, OPERATIONS[name])(0)
    barrier = {} if name == "FFMA" else {"read" if name == "STS.32" else "write": 0}
    region = [
        clock(8, stall=2),
        op("BAR.SYNC", stall=6),
        kind.having(stall=2, **barrier),
        clock(9, stall=2, wait=1),
        op("BAR.SYNC", stall=6),
        op("BRA", "on", stall=5),
        clock(10, stall=2, label="on"),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    launches = first_warps((1, 2, 3, 4, 6, 8, 12, 16, 24, 32), shared=16384)
    return Experiment(
        f"barriers/release, {name}",
        region,
        range(8, 11),
        setup(),
        launches,
        sync=True,
        kind="timeline",
    )


def _after() -> Iterator[Experiment]:
    """A barrier right behind instructions that are still on their way."""
    pieces: list[Probe] = []
    for i, (name, count) in enumerate(product(NAMES["before"], (0, 1, 3))):
        row = [KINDS[name](j).having(stall=2) for j in range(count)]
        released = [op("BAR.SYNC", stall=6), op("BRA", f"released{i}", stall=5), op("NOP", label=f"released{i}")]
        pieces.append((f"{count} {name}", [*row, *released]))
    launches = first_warps((1, 2, 4), shared=16384)
    yield from probes("barriers/after", pieces, prepare(), launches)


def _queued() -> Iterator[Experiment]:
    """A barrier behind instructions of the ADU: when it issues, and when all go on."""
    pieces: list[Probe] = []
    for i, (name, count) in enumerate(product(NAMES["adu"], (1, 3, 6))):
        row = [KINDS[name](j).having(stall=2) for j in range(count)]
        released = [op("BRA", f"queued{i}", stall=5), op("NOP", label=f"queued{i}")]
        pieces.append((f"{count} {name}", [*row, op("BAR.SYNC", stall=6)]))
        pieces.append((f"{count} {name}, released", [*row, op("BAR.SYNC", stall=6), *released]))
    launches = first_warps((1, 2, 4, 8), shared=16384)
    yield from probes("barriers/queued", pieces, prepare(), launches)
