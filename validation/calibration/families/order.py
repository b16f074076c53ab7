"""Which warp issues when, the stagger of a launch, register banks, the front end."""

from collections.abc import Iterator

from ..program import Experiment, Launch, clock, sm_warps, smsp_warps
from ..sass import Instruction, op
from .operations import setup

START, END = 8, 9
_FIRST = 8
READS = 16
BANKS = {
    "spread": (40, 41, 42),
    "a=b bank": (40, 42, 41),
    "a=c bank": (40, 41, 44),
    "b=c bank": (41, 40, 42),
    "all even": (40, 42, 44),
    "all odd": (41, 43, 45),
    "all mod 4": (40, 44, 36),
    "one register": (40, 40, 40),
    "two registers": (40, 41, 40),
}
REUSE = (0, 1, 2, 4, 7)
SIZES = (64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 11000)
YIELDS = {"stay": (False,), "yield": (True,), "alternate": (False, True)}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    yield from _banks()
    yield from _front_end()
    yield from _scheduling()
    yield from _launch()


def _timed(name: str, body: list[Instruction], launches: tuple[Launch, ...], **more: object) -> Experiment:
    region = [clock(START, stall=4), *body, clock(END, stall=4)]
    return Experiment(name, region, [START, END], setup(), launches, meta={"count": len(body)}, **more)  # type: ignore[arg-type]


def _banks() -> Iterator[Experiment]:
    launches = (smsp_warps(1), smsp_warps(2), smsp_warps(4))
    for name in ("FFMA", "IADD3", "IMAD", "LOP3", "HFMA2"):
        for label, (a, b, c) in BANKS.items():
            for reuse in REUSE:
                for count in (32, 96):
                    body = [op(name, 16 + i % 16, a, b, c, reuse=reuse) for i in range(count)]
                    yield _timed(f"banks/{name}/{label}/reuse {reuse}/{count}", body, launches, sync=True)
    for label, (a, b, c) in {"a=b=c mod 4": (40, 44, 36), "spread": (40, 42, 44), "one": (40, 40, 40)}.items():
        for reuse in REUSE:
            for count in (32, 96):
                body = [op("DFMA", 16 + 2 * (i % 8), a, b, c, reuse=reuse) for i in range(count)]
                yield _timed(f"banks/DFMA/{label}/reuse {reuse}/{count}", body, launches, sync=True)
    for label, results in {"even": (16, 18), "odd": (17, 19), "both": (16, 17)}.items():
        for count in (32, 96):
            body = [op(("IADD3", "FFMA")[i % 2], results[i % 2] + 4 * (i // 2 % 4), 40, 41, 42) for i in range(count)]
            yield _timed(f"banks/results {label}/{count}", body, launches, sync=True)


def _front_end() -> Iterator[Experiment]:
    launches = (smsp_warps(1), smsp_warps(2), smsp_warps(4), sm_warps(1), sm_warps(2))
    for size in SIZES:
        for name in ("FFMA", "NOP"):
            body = [op("FFMA", 16 + i % 16, 40, 41, 42) if name == "FFMA" else op("NOP") for i in range(size)]
            yield _timed(f"frontend/{name}/{size}", body, launches, sync=True)
    for align in range(1, 17):
        body = [op("FFMA", 16 + i % 16, 40, 41, 42) for i in range(32)]
        shifted = [op("NOP")] * align
        region = [clock(START, stall=4), *shifted, op("NOP", label="inner"), *body, clock(END, stall=4)]
        yield Experiment(
            f"frontend/offset {align}", region, [START, END], setup(), launches[:1], meta={"count": 33 + align}
        )
    for loop in (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256):
        for offset in (0, 1, 3, 5, 7):
            body = [op("FFMA", 16 + i % 8, 40, 41, 42, label="again" if i == 0 else None) for i in range(loop - 3)]
            inner = [
                *[op("NOP")] * offset,
                op("MOV.IMM", 60, 20, stall=15),
                *body,
                op("IADD3.IMM", 60, 60, -1, 255, stall=5),
                op("ISETP", 0, 60, 255, stall=13),
                op("BRA", "again", guard=0, stall=5),
            ]
            region = [clock(START, stall=4), *inner, clock(END, stall=4)]
            yield Experiment(
                f"frontend/loop {loop}/offset {offset}",
                region,
                [START, END],
                setup(),
                (smsp_warps(1), smsp_warps(2), smsp_warps(4)),
                sync=True,
                meta={"count": loop, "trips": 20},
            )


def _scheduling() -> Iterator[Experiment]:
    launches = (smsp_warps(1), smsp_warps(2), smsp_warps(3), smsp_warps(4))
    for stall in (1, 2, 3, 4, 6):
        for label, yields in YIELDS.items():
            body = [clock(_FIRST + i, stall=stall, yield_=yields[i % len(yields)]) for i in range(READS)]
            yield _stream(f"order/CS2R stall {stall} {label}", body, launches)
            for fill in (1, 3, 7):
                body = []
                for i in range(READS):
                    body += [
                        op("FFMA", 32 + j, 40, 41, 42, stall=stall, yield_=yields[j % len(yields)]) for j in range(fill)
                    ]
                    body.append(clock(_FIRST + i, stall=stall, yield_=yields[fill % len(yields)]))
                yield _stream(f"order/FFMA x{fill} stall {stall} {label}", body, launches)
    body = []
    for i in range(READS):
        body += [op("MUFU.RCP", 32 + i % 4, 40, write=i % 4, wait=1 << i % 4), clock(_FIRST + i)]
    yield _stream("order/MUFU chain", body, launches)
    body = []
    for i in range(READS):
        body += [*[op("FFMA", 32 + j, 40, 41, 42) for j in range(3)], clock(_FIRST + i, stall=4)]
    yield _stream("order/FFMA x3 then stall 4", body, launches)
    body = []
    for i in range(READS):
        body += [*[op("IADD3", 32 + j, 40, 41, 42) for j in range(3)], clock(_FIRST + i)]
    yield _stream("order/IADD3 x3", body, launches)


def _stream(name: str, body: list[Instruction], launches: tuple[Launch, ...]) -> Experiment:
    region = [*body, op("NOP", stall=15, wait=0x3F)]
    return Experiment(name, region, list(range(_FIRST, _FIRST + READS)), setup(), launches, sync=True, kind="timeline")


def _launch() -> Iterator[Experiment]:
    """The first clock that each warp reads, its hardware slot, its SM, and the clock before it exits."""
    launches = tuple(Launch(f"{warps}", 32 * warps, 0xFFFFFFFF) for warps in (1, 2, 4, 8, 16, 32))
    launches += tuple(Launch(f"264 blocks x {warps}", 32 * warps, 0xFFFFFFFF, blocks=264) for warps in (1, 4, 16))
    launches += tuple(Launch(f"{blocks} blocks x 32", 1024, 0xFFFFFFFF, blocks=blocks) for blocks in (132, 264, 396))
    region = [
        op("S2R.VIRTID", 17, write=0),
        op("S2R.SMID", 18, write=1),
        op("NOP", stall=15, wait=0x3F),
        clock(19, stall=15),
    ]
    for registers in (64, 32):
        yield Experiment(
            f"launch/entry {registers} registers",
            region,
            [16, 17, 18, 19],
            kind="entries",
            launches=launches,
            registers=registers,
            iterations=1,
            entry=[clock(16, stall=15)],
        )
