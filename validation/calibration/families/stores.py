"""Bursts of stores: when they issue, when a fence behind them is through, and what loads behind them find."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, OPERATIONS, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

COUNTS = (1, 2, 4, 8, 16, 32, 64)
LINES = (1, 2, 4, 8, 12, 16, 17, 18, 20, 24, 28, 31, 32)
# operation -> bytes from one lane's address to the next: full and partial sectors
STRIDES = {"STG.32": (4, 8, 16, 32), "STG.64": (8, 16), "STG.128": (16, 32, 128)}
# operation, log2 of the lanes that share a line, bytes from one of them to the next: full or partial sectors
GROUPS = (
    *(("STG.32", 3, 4), ("STG.32", 4, 4), ("STG.32", 1, 32), ("STG.32", 2, 32), ("STG.32", 2, 4), ("STG.32", 1, 4)),
    *(("STG.64", 2, 8), ("STG.64", 3, 8), ("STG.64", 1, 8), ("STG.64", 1, 32)),
    *(("STG.128", 1, 16), ("STG.128", 2, 16), ("STG.128", 1, 32), ("STG.128", 2, 32)),
)
START, ISSUED, FENCED = 8, 9, 10
APART = 4096
LAUNCHES = (smsp_warps(1), smsp_warps(4), *(sm_warps(n) for n in (1, 2, 4, 8)))
_FURTHEST = 64 * APART  # bytes between two warps


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for count in COUNTS:
        for name, strides in STRIDES.items():
            for stride in strides:
                yield _burst(f"{count} {name}, {stride} bytes a lane", _stores(name, count), _strided(stride))
        for lines in LINES:
            yield _burst(f"{count} STG.32 of {lines} lines", _stores("STG.32", count), _lines(lines))
    for count in (16, 64):
        for lines in (1, 4, 32):
            again = _stores("STG.32", count, apart=0)
            yield _burst(f"{count} STG.32 of the same {lines} lines", again, _lines(lines))
        yield _burst(f"{count} STG.128, the same 16 bytes a lane", _stores("STG.128", count, apart=0), _strided(16))
    for count in (16, 64):
        for name, shift, inner in GROUPS:
            label = f"{count} {name}, {1 << shift} lanes a line, {inner} bytes apart"
            yield _burst(label, _stores(name, count), _grouped(shift, inner))
    yield from _loads_behind()


def _stores(name: str, count: int, apart: int = APART) -> list[Instruction]:
    stores = []
    for i in range(count):
        store = OPERATIONS[name](i)
        stores.append(store.having(operands={**store.operands, "off": apart * i}, stall=2))
    return stores


def _warps_apart() -> list[Instruction]:
    return [
        op("SHF.R.IMM", 54, RZ, 5, 0, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, _FURTHEST, GLOBAL, stall=SAFE),
    ]


def _strided(stride: int) -> list[Instruction]:
    lane = op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE)
    return [*setup(lane_stride=0), lane, op("IMAD.WIDE.U32.IMM", GLOBAL, 53, stride, GLOBAL, stall=SAFE)]


def _grouped(shift: int, inner: int) -> list[Instruction]:
    return [
        *setup(lane_stride=0),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", 54, 53, (1 << shift) - 1, RZ, stall=SAFE),
        op("SHF.R.IMM", 53, RZ, shift, 53, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 128, GLOBAL, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 54, inner, GLOBAL, stall=SAFE),
    ]


def _lines(lines: int) -> list[Instruction]:
    """Lane `l` takes the first word of line `l`, the lanes behind the last line take that line, too."""
    return [
        *setup(lane_stride=0),
        op("LOP3.IMM", 53, 0, 31, RZ, stall=SAFE),
        op("MOV.IMM", 54, lines - 1, stall=SAFE),
        op("VIMNMX", 53, 53, 54, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 128, GLOBAL, stall=SAFE),
    ]


def _burst(name: str, stores: list[Instruction], prepare: list[Instruction]) -> Experiment:
    region = [
        clock(START, stall=4),
        *stores,
        clock(ISSUED, stall=4),
        op("MEMBAR.GPU", read=0, stall=2),
        clock(FENCED, stall=4, wait=1),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    return Experiment(
        f"stores/{name}",
        region,
        [START, ISSUED, FENCED],
        [*prepare, *_warps_apart()],
        LAUNCHES,
        iterations=2,
        sync=True,
        kind="spans",
        meta={"count": len(stores)},
    )


def _loads_behind() -> Iterator[Experiment]:
    """A load right behind stores: of the line just written, of another line that L1 holds, of one in L2 only."""
    offsets = {"the same word": ("LDG.32", 0), "a held line": ("LDG.32", 128), "L2": ("LDG.32.GPU", 128)}
    for count in (0, 1, 2, 4, 8, 12, 16, 32):
        for lines in (1, 8, 32):
            region: list[Instruction] = []
            for register, (load, at) in zip(RESULTS, offsets.values(), strict=False):
                probe = op(load, 40, 4, 56, at, write=0, stall=2)
                region += [
                    op("CCTL.IVALL", stall=SAFE),
                    op(load, 40, 4, 56, at, write=0, stall=SAFE),
                    op("NOP", wait=1),
                ]
                region += stopwatch(register, [*_stores("STG.32", count), probe], wait=1)
            copied = [op("MOV", 56, GLOBAL, stall=SAFE), op("MOV", 57, GLOBAL + 1, stall=SAFE)]
            yield Experiment(
                f"stores/{count} STG.32 of {lines} lines, then loads",
                region,
                RESULTS[: len(offsets)],
                [*setup(lane_stride=4), *copied, *_lines(lines)[-4:]],
                registers=REGISTERS,
                iterations=2,
                kind="cycles",
                meta={"loads": list(offsets)},
            )
