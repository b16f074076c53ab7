"""How blocks follow each other on an SM: from a block's EXIT to the first instruction of the next one in its place.

Every program ends a known number of cycles (`meta["exit"]`) behind its last clock read. What it leaves in flight
differs: nothing, stores of an age, bursts of stores, loads, atomics.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, OPERATIONS, access_bytes, setup

ONE_PER_SM = 200 << 10  # bytes of shared memory by which a block has an SM for itself
BLOCKS = 132 * 4
SETTLED = 64
BURSTS = (1, 2, 4, 8, 16, 32)
LINES = (1, 8, 32)
AGES = (0, 1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48)
_TAIL = 96  # cycles from the last clock read to behind the stores of the records
_BLOCK_BYTES = 65536


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    settled = _pause(SETTLED)
    alone = (Launch("1 warp", shared=ONE_PER_SM, blocks=BLOCKS),)
    widths = tuple(
        Launch(f"{n} warps", 32 * n, (1 << n) - 1, shared=ONE_PER_SM, blocks=BLOCKS if n < 16 else 396)
        for n in (1, 2, 4, 8, 16, 32)
    )
    shared = tuple(
        Launch(f"{kilobytes} KB shared", shared=kilobytes << 10, blocks=132 * 32) for kilobytes in (100, 48, 24)
    )
    yield _blocks("nothing in flight", settled, alone)
    yield _blocks("nothing in flight, warps and blocks", settled, (*widths, *shared), kind="entries")
    for age in AGES:
        yield _blocks(f"records stored {15 * age} cycles before", _pause(age), alone)
    for lines in LINES:
        for count in BURSTS:
            for name in ("STG.32", "RED.ADD", "LDG.32.GPU"):
                burst = [_placed(name, i) for i in range(count)]
                yield _blocks(f"{count} {name} of {lines} lines", [*settled, *burst], alone, lines)
    for name in ("STG.128", "STS.32", "LDS.32", "MUFU.RCP", "DFMA"):
        burst = [OPERATIONS[name](i).having(stall=2) for i in range(8)]
        yield _blocks(f"8 {name}", [*settled, *burst], alone, access_bytes(name) // 4)
    fence = [_placed("STG.32", 0), op("MEMBAR.GPU", read=0, stall=2), op("NOP", wait=1, stall=1)]
    yield _blocks("STG.32 MEMBAR.GPU", [*settled, *fence], alone)
    yield _clocks()


def _pause(count: int) -> list[Instruction]:
    return [op("NOP", stall=SAFE)] * count


def _placed(name: str, i: int) -> Instruction:
    """Return the i-th of a burst, 4 KB behind the one before."""
    access = OPERATIONS[name](i)
    return access.having(operands={**access.operands, "off": 4096 * (i % 16)}, stall=2)


def _blocks(
    name: str, ending: list[Instruction], launches: tuple[Launch, ...], lines: int = 1, kind: str = "turnover"
) -> Experiment:
    apart = [op("IMAD.WIDE.U32.IMM", GLOBAL, 5, _BLOCK_BYTES, GLOBAL, stall=SAFE)]
    region = [
        op("S2R.VIRTID", 17, write=0),
        op("S2R.SMID", 18, write=1),
        op("NOP", stall=SAFE, wait=0x3F),
        clock(19, stall=SAFE),
    ]
    return Experiment(
        f"blocks/{name}",
        region,
        [16, 17, 18, 19],
        [*setup(lane_stride=4 * lines), *apart],
        launches,
        entry=[clock(16, stall=SAFE)],
        ending=ending,
        iterations=1,
        kind=kind,
        meta={"exit": _TAIL + sum(instruction.stall for instruction in ending)},
    )


def _clocks() -> Experiment:
    """The SM's clock and the global timer, read together, about 30 us apart."""
    region: list[Instruction] = []
    for i in range(8):
        region += [clock(8 + 2 * i, stall=2), op("CS2R.GT", 30, stall=SAFE), op("MOV", 9 + 2 * i, 30, stall=SAFE)]
        region += [op("MOV.IMM", 60, 1000, stall=SAFE), op("IADD3.IMM", 60, 60, -1, RZ, stall=SAFE, label=f"wait{i}")]
        region += [op("ISETP", 0, 60, RZ, stall=SAFE), op("BRA", f"wait{i}", guard=0, stall=SAFE)]
    return Experiment("blocks/clock and global timer", region, range(8, 24), kind="cycles", iterations=2)
