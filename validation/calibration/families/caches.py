"""First touches: instruction fetch of code never run before, constants, L1 misses; L2 by address; L2 rate of one SM."""

from collections.abc import Iterator

from ..program import DATA, SAFE, Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .operations import GLOBAL, OPERATIONS, setup

FIRST = 8
ONE = (Launch(shared=16384),)
CHUNKS = 24
ADDRESSES = 12
CONSTANTS = 8  # 64 bytes apart: the constant bank of a kernel ends at 0x228


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _cold_code()
    yield from _constants()
    yield from _l2_scan()
    yield from _l2_rate()


def _cold_code() -> Iterator[Experiment]:
    """A clock every `chunk` instructions of straight code that runs for the first or the second time in its launch."""
    for iterations in (1, 2):
        for chunk in (8, 16, 32, 128):
            for name in ("NOP", "FMUL"):
                body: list[Instruction] = []
                for i in range(CHUNKS):
                    body += [clock(FIRST + i), *[OPERATIONS[name](j + 16) for j in range(chunk - 1)]]
                region = [i.having(operands={**i.operands, "d": 61}) if i.name == "FMUL" else i for i in body]
                yield Experiment(
                    f"timeline/code {chunk} {name} apart, run {iterations}",
                    region,
                    range(FIRST, FIRST + CHUNKS),
                    setup(),
                    (smsp_warps(1), smsp_warps(2), sm_warps(1), sm_warps(4)),
                    iterations=iterations,
                    kind="timeline",
                )


def _constants() -> Iterator[Experiment]:
    """A row of constant operands, 64 bytes apart, first and second time."""
    for iterations in (1, 2, 3):
        for name in ("FFMA.CONST", "LDC", "ULDC"):
            body: list[Instruction] = []
            for i in range(CONSTANTS):
                access = OPERATIONS[name](0)
                access = access.having(operands={**access.operands, "const": 64 * i}, stall=6)
                if name == "LDC":
                    access = access.having(write=0)
                body += [clock(FIRST + 2 * i, stall=4), access, clock(FIRST + 2 * i + 1, stall=4, wait=1)]
            yield Experiment(
                f"timeline/{name} 64 bytes apart, run {iterations}",
                [op("NOP", stall=SAFE), *body],
                range(FIRST, FIRST + 2 * CONSTANTS),
                setup(),
                ONE,
                kind="timeline",
                iterations=iterations,
            )


def _l2_scan() -> Iterator[Experiment]:
    """Latency of single L2 hits over addresses, from SMs all over the chip: the near and the far side."""
    for start in range(0, 8):
        body: list[Instruction] = []
        for i in range(ADDRESSES):
            load = op("LDG.32.GPU", 40, 4, GLOBAL, 128 * (start * ADDRESSES + i), write=0, stall=2)
            body += [clock(FIRST + 2 * i, stall=4), load, clock(FIRST + 2 * i + 1, stall=4, wait=1)]
        yield Experiment(
            f"scan/L2 lines from {start * ADDRESSES}",
            [op("NOP", stall=SAFE, wait=0x3F), *body],
            range(FIRST, FIRST + 2 * ADDRESSES),
            setup(lane_stride=0),
            (Launch("132 blocks", 32, 1, blocks=132),),
            iterations=3,
            kind="scan",
            meta={"lead": 4},
        )


def _l2_rate() -> Iterator[Experiment]:
    """Rows of L2 hits to lines of their own from one SM, and of L1 misses that hit L2."""
    for name in ("LDG.32.GPU", "LDG.128.GPU", "LDG.32", "LDG.128"):
        bytes_per_load = 512 if "128" in name else 128
        for count in (16, 48):
            loads = []
            for i in range(count):
                load = OPERATIONS[name](i)
                loads.append(load.having(operands={**load.operands, "off": 8 * bytes_per_load * i * 16}, write=i % 4))
            region = [clock(8, stall=4), *loads, clock(9, stall=4), op("NOP", wait=0x3F, stall=2), clock(9, stall=4)]
            region.append(op("CCTL.IVALL", stall=SAFE))
            # each warp of an SMSP takes 32 x the access further on, each SMSP 8 of these
            apart = [
                op("SHF.R.IMM", 53, 255, 5, 0, stall=SAFE),
                op("LOP3.IMM", 53, 53, 3, 255, stall=SAFE),
                op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 8 * bytes_per_load, GLOBAL, stall=SAFE),
            ]
            yield Experiment(
                f"l2rate/{name}/{count}",
                region,
                [8, 9],
                [*setup(name.removesuffix(".GPU")), *apart],
                (smsp_warps(1), *(sm_warps(n) for n in (1, 2, 4, 8))),
                sync=True,
                meta={"count": count, "data": DATA},
            )
